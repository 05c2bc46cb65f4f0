package browser

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

var shots = flag.String("shots", "", "folder for pictures of the page")

var sizes = [][2]int64{{320, 568}, {390, 844}, {844, 390}, {1024, 768}, {1920, 1080}}

// TestShots takes pictures of the page, to be looked at.
func TestShots(t *testing.T) {
	if *shots == "" {
		t.Skip("-shots names a folder for the pictures")
	}
	_, url := serve(t, t.TempDir(), "--local")
	p := open(t, url)
	p.until("the demo", "document.body.dataset.phase === 'attract'")
	shoot := func(name string) {
		if err := os.WriteFile(filepath.Join(*shots, name+".png"), get(p, chromedp.CaptureScreenshot()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	shoot("attract")
	js[int](p, `fetch('v1/match',{method:'POST',headers:{'Content-Type':'application/json'},body:JSON.stringify({position:'44536335251'})}).then((r)=>r.status)`)
	p.status("to move")
	for _, size := range sizes {
		for _, scheme := range []string{"light", "dark"} {
			p.prefers("prefers-color-scheme", scheme)
			p.size(size[0], size[1])
			shoot(fmt.Sprintf("%dx%d-%s", size[0], size[1], scheme))
		}
	}
	p.size(390, 844)
	p.prefers("forced-colors", "active")
	shoot("forced")
	p.prefers("", "")
	for _, dialog := range []string{"match", "results", "settings"} {
		p.click("#open-" + dialog)
		shoot(dialog)
		js[int](p, `(document.querySelector('dialog[open]').close(), 1)`)
	}
	p.click("#hint")
	p.status("Hint")
	shoot("hint")
	p.sound()
}
