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

// TestShots takes screenshots of the page for people to look at.
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
		p.size(size[0], size[1])
		for _, look := range [][2]string{{"prefers-color-scheme", "light"}, {"prefers-color-scheme", "dark"}, {"prefers-reduced-motion", "reduce"}, {"forced-colors", "active"}} {
			p.prefers(look[0], look[1])
			shoot(fmt.Sprintf("%dx%d-%s", size[0], size[1], look[1]))
		}
	}
	p.size(390, 844)
	p.prefers("forced-colors", "none")
	for _, dialog := range []string{"match", "results", "settings"} {
		p.click("#open-" + dialog)
		shoot(dialog)
		js[int](p, `(document.querySelector('dialog[open]').close(), 1)`)
	}
	p.click("#hint")
	p.status("worth to ")
	shoot("hint")
	js[int](p, `(localStorage.setItem('c4hat-palette', 'night'), document.documentElement.dataset.palette = 'night', 1)`)
	shoot("night")
	js[int](p, `(document.documentElement.dataset.palette = 'classic', 1)`)
	js[int](p, `fetch('v1/match',{method:'POST',headers:{'Content-Type':'application/json'},body:JSON.stringify({position:'414142',points:1,force:true})}).then((r)=>r.status)`)
	p.until("the turn", "document.body.dataset.phase === 'aim'")
	p.click("#columns button:nth-child(3)")
	p.until("the turn", "document.body.dataset.phase === 'aim' && document.querySelectorAll('#moves li').length === 7")
	p.click("#columns button:nth-child(2)")
	p.until("the turn", "document.body.dataset.phase === 'aim' && document.querySelectorAll('#moves li').length === 8")
	p.click("#columns button:nth-child(4)")
	p.until("the menu", "document.body.dataset.phase === 'menu'")
	shoot("menu")
	p.click("#open-results")
	p.until("the matches", "document.querySelector('#past button')")
	shoot("past")
	p.click("#past button")
	p.until("the curve", "document.querySelector('#curve polyline')")
	shoot("replay")
	p.sound()
}
