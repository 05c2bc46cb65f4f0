package browser

import (
	"flag"
	"os"
	"testing"
)

var axe = flag.String("axe", os.Getenv("AXE"), "axe.min.js of axe-core")

// Nothing in the page keeps people out who cannot see it, or who use no mouse, as far as
// axe-core can tell, in any phase and dialog, light and dark.
func TestAxe(t *testing.T) {
	if *axe == "" {
		t.Skip("-axe names axe.min.js: npm pack axe-core, and unpack it")
	}
	script, err := os.ReadFile(*axe)
	if err != nil {
		t.Fatal(err)
	}
	_, url := serve(t, t.TempDir(), "--local", "--points", "1", "--first", "red")
	p := open(t, url)
	p.until("the demo", "document.body.dataset.phase === 'attract'")
	js[int](p, string(script)+"\n;1")
	check := func(what string) {
		t.Helper()
		for _, scheme := range []string{"light", "dark"} {
			p.prefers("prefers-color-scheme", scheme)
			for _, violation := range js[[]string](p, `axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + n.html + ' ' + n.failureSummary)))`) {
				t.Errorf("%s, %s: %s", what, scheme, violation)
			}
		}
	}
	phase := func(name string) {
		t.Helper()
		p.until(name, "document.body.dataset.phase === '"+name+"'")
		check(name)
	}
	phase("attract")
	p.keys("p")
	phase("menu")
	js[int](p, `fetch('v1/match', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{"position":"414141"}'}).then((r) => r.status)`)
	phase("aim")
	p.keys("?")
	p.until("the hint", "document.body.dataset.phase === 'hint'")
	check("hint")
	p.until("the turn", "document.body.dataset.phase === 'aim'")
	p.keys("p")
	phase("pause")
	for _, dialog := range []string{"match", "settings", "results"} {
		p.click("#open-" + dialog)
		check(dialog)
		js[int](p, `(document.querySelector('dialog[open]').close(), 1)`)
	}
	p.keys("p")
	p.until("the turn", "document.body.dataset.phase === 'aim'")
	p.keys("4")
	p.until("the menu", "document.body.dataset.phase === 'menu'")
	p.click("#open-results")
	p.click("#past button")
	p.until("the curve", "document.querySelector('#curve polyline')")
	check("replay")
}
