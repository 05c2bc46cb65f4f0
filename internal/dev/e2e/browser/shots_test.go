package browser

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var shots = flag.String("shots", "", "folder for pictures of the page")

// save saves a picture of the page, if -shots names a folder.
func (p *page) save(name string) {
	p.t.Helper()
	if *shots == "" {
		return
	}
	js[int](p, "new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(1)), 100))")
	p.do(func(ctx context.Context) error {
		png, err := p.shot(ctx)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(*shots, *browserFlag+"-"+name+".png"), png, 0o666)
	})
}

// TestShots takes screenshots of the page for people to look at, in every window and in every look.
func TestShots(t *testing.T) {
	if *shots == "" {
		t.Skip("-shots names a folder for the pictures")
	}
	for _, look := range []string{"light", "dark", "forced"} {
		_, url := serve(t, t.TempDir(), "--local", "--points", "1", "--first", "red")
		p := open(t, url, look)
		shoot := func(name string, small bool) {
			for _, size := range sizes {
				if small && size[0] != 360 && size[0] != 640 && size[0] != 1280 {
					continue
				}
				p.size(size[0], size[1])
				p.save(fmt.Sprintf("%s-%s-%dx%d", look, name, size[0], size[1]))
			}
		}
		closeAll := func() { js[int](p, `(document.querySelectorAll('dialog[open]').forEach((d) => d.close()), 1)`) }
		p.until("the demo", "document.body.dataset.phase === 'attract'")
		shoot("0-demo", true)
		p.post("v1/match", `{"position":"44536335251"}`)
		p.until("the match", "document.body.dataset.phase === 'aim'")
		shoot("1-turn", false)
		p.click("#hint")
		p.until("the hint", "document.body.dataset.phase === 'hint'")
		shoot("2-hint", true)
		for _, dialog := range []string{"match", "settings"} {
			p.click("#open-" + dialog)
			shoot("3-"+dialog, dialog != "match")
			closeAll()
		}
		p.post("v1/match", `{"position":"414142","force":true}`)
		p.until("the turn", "document.body.dataset.phase === 'aim' && document.querySelectorAll('#moves li').length === 6")
		for i, column := range []string{"3", "2", "4"} {
			p.click("#columns button:nth-child(" + column + ")")
			p.until("the disc", fmt.Sprintf("document.body.dataset.phase !== 'fall' && document.querySelectorAll('#moves li').length === %d", 7+i))
		}
		p.until("the end", "document.body.dataset.phase === 'menu'")
		shoot("4-end", false)
		p.click("#open-results")
		p.until("the matches", "document.querySelector('#past button')")
		shoot("5-results", true)
		p.click("#past button")
		p.until("the curve", "document.querySelector('#curve polyline')")
		shoot("6-replay", false)
		p.sound()
	}
}
