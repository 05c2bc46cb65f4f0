package browser

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var axe = flag.String("axe", os.Getenv("AXE"), "axe.min.js of axe-core")

// check fails the test if axe-core finds an accessibility fault in the page, with light or with
// dark colours. Without axe-core it does nothing.
func (p *page) check(what string) {
	p.t.Helper()
	if *axe == "" {
		return
	}
	if js[string](p, "typeof window.axe") == "undefined" {
		script, err := os.ReadFile(*axe)
		if err != nil {
			p.t.Fatal(err)
		}
		p.do(func(ctx context.Context) error {
			_, err := p.eval(ctx, string(script)+"\n;''")
			return err
		})
	}
	for _, scheme := range []string{"light", "dark"} {
		if c, ok := p.driver.(*chromium); ok {
			c.prefers(scheme)
		} else if scheme == "dark" {
			continue // of Firefox, only a new one prefers dark colours
		}
		for _, violation := range js[[]string](p, `axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + n.html + ' ' + n.failureSummary)))`) {
			p.t.Errorf("%s, %s: %s", what, scheme, violation)
		}
	}
	p.checked = append(p.checked, what)
}

// post sends a request for which the page has no button.
func (p *page) post(path, body string) {
	p.t.Helper()
	if status := js[int](p, `fetch('`+path+`', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '`+body+`'}).then((r) => r.status)`); status >= 300 {
		p.t.Fatalf("%s %s: %d", path, body, status)
	}
}

// axe-core checks the page in every phase and with every dialog.
func TestAxe(t *testing.T) {
	if *axe == "" {
		t.Skip("-axe names axe.min.js: npm pack axe-core, and unpack it")
	}
	server, link := serve(t, t.TempDir(), "--local", "--points", "1", "--first", "red")
	url, key, _ := strings.Cut(link, "?")
	g := newGate(t, url)
	p := open(t, g.URL+"/?"+key)
	defer func() { t.Logf("checked: %s", strings.Join(p.checked, ", ")) }()
	phase := func(name string) {
		t.Helper()
		p.until(name, "document.body.dataset.phase === '"+name+"'")
		p.check(name)
	}
	match := func(body, held string) {
		t.Helper()
		g.hold(held)
		p.post("v1/match", body)
	}
	dialog := func(name string) {
		t.Helper()
		p.click("#open-" + name)
		p.check(name)
	}
	closeAll := func() { js[int](p, `(document.querySelectorAll('dialog[open]').forEach((d) => d.close()), 1)`) }

	phase("attract")
	dialog("results")
	closeAll()
	p.keys("p")
	p.until("the menu", "document.body.dataset.phase === 'menu'")
	for _, item := range []string{"two players", "computer", "8x8", "look back", "puzzle"} {
		p.choose(item)
		p.check("menu: " + item)
	}
	p.choose("computer")
	p.keys("j")
	p.status("Computer: ")
	p.check("menu: levels")

	match(`{"position":"414141"}`, "")
	phase("aim")
	g.hold("hint")
	p.keys("?")
	phase("hint")
	g.hold("")
	p.until("the turn", "document.body.dataset.phase === 'aim'")
	p.keys("p")
	phase("pause")
	dialog("match")
	js[int](p, `(document.getElementById('more').open = true, 1)`)
	p.check("match, more")
	closeAll()
	dialog("settings")
	js[int](p, `(document.querySelector('details').open = true, 1)`)
	p.check("settings, keys")
	closeAll()
	p.keys("p")
	p.until("the turn", "document.body.dataset.phase === 'aim'")
	p.click("[data-seat=yellow]")
	p.until("the seat", "document.querySelector('[data-seat=yellow]').textContent === 'leave'")
	p.check("a seat")
	p.click("[data-seat=yellow]")
	p.status("Red to move")

	for _, name := range []string{"fall", "cheer", "score", "victory"} { // each in a new match that ends with the next disc
		match(`{"position":"414141","points":1,"force":true}`, name)
		p.until("the turn", "document.body.dataset.phase === 'aim'")
		p.post("v1/press", `{"column":4}`)
		phase(name)
		g.hold("")
		p.until("the menu", "document.body.dataset.phase === 'menu'")
	}
	match(`{"position":"12121221212134343443434356565665656577777","force":true}`, "draw")
	p.until("the turn", "document.body.dataset.phase === 'aim'")
	p.check("a full board but one")
	p.post("v1/press", `{"column":7}`)
	phase("draw")
	match(`{"computer":"red","level":"perfect","board":"8x8","force":true}`, "thinking")
	phase("thinking")
	match(`{"board":"8x8","position":"121234","force":true}`, "")
	p.until("the turn", "document.body.dataset.phase === 'aim' && document.body.dataset.second === 'blue'")
	p.check("8x8")
	js[int](p, `fetch('v1/match', {method: 'DELETE'}).then((r) => r.status)`)
	p.until("the menu", "document.body.dataset.phase === 'menu'")

	p.status("8x8: ")
	p.keys("k")
	p.status("Menu: 8x8")
	p.choose("look back")
	p.keys("j")
	phase("look")
	p.click("#end")
	p.until("the menu", "document.body.dataset.phase === 'menu'")
	p.choose("puzzle")
	p.keys("j")
	p.status("Puzzle: ")
	p.check("menu: puzzles")
	g.hold("puzzle")
	p.post("v1/press", `{"key":"middle"}`)
	phase("puzzle")
	g.hold("")
	p.status(" moves and wins with ")
	p.check("a puzzle to solve")

	p.click("#open-results")
	p.until("the matches", "document.querySelector('#past button')")
	p.check("past matches")
	p.click("#past button:last-child")
	p.until("the curve", "document.querySelector('#curve polyline')")
	p.check("replay")
	closeAll()
	server.stop()
	p.until("the loss", "document.body.dataset.link === 'lost'")
	p.check("disconnected")
}

// axe-core checks the page of a tournament.
func TestAxeTournament(t *testing.T) {
	if *axe == "" {
		t.Skip("-axe names axe.min.js: npm pack axe-core, and unpack it")
	}
	file := t.TempDir() + "/class.html"
	if out, err := exec.Command(c4hat, "tournament", "novice", "beginner", "easy", "--games", "2", "--html", file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p := open(t, "file://"+file)
	p.check("a tournament")
	js[int](p, `(document.querySelectorAll('details').forEach((d) => { d.open = true; }), 1)`)
	p.check("all of it")
	p.sound()
}

// axe-core checks the page of a browser on another machine, which has to be paired.
func TestAxePairing(t *testing.T) {
	if *axe == "" {
		t.Skip("-axe names axe.min.js: npm pack axe-core, and unpack it")
	}
	d := newDaemon(t)
	_, link := serve(t, t.TempDir(), "--socket", d.socket)
	url, _, _ := strings.Cut(link, "?")
	p := open(t, url)
	defer func() { t.Logf("checked: %s", strings.Join(p.checked, ", ")) }()
	p.until("the demo", "document.body.dataset.phase === 'attract' && document.body.classList.contains('watching')")
	p.check("watching")
	d.press(t, keyLeft)
	p.until("the menu", "document.body.dataset.phase === 'menu'")
	p.click("#open-pair")
	p.until("the digit", "!document.getElementById('digit').hidden")
	p.check("pairing")
	p.until("the refusal", "!document.getElementById('pair-again').hidden")
	p.check("refused")
}
