package browser

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// A match against level 2 is played by mouse on a computer without a HAT. It resumes after the
// program was stopped and started again. The dialog for a match begins with what is configured.
func TestAlone(t *testing.T) {
	t.Parallel() // it mostly waits
	state := t.TempDir()
	none := state + "/no-service"
	config := filepath.Join(state, "config.toml")
	if err := os.WriteFile(config, []byte("[game]\nboard = \"8x8\"\nlevel = \"hard\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server, url := serve(t, state, "--socket", none, "--points", "1", "--first", "loser", "--config", config)
	p := open(t, url)
	p.until("the demo", "document.body.dataset.phase === 'attract'")
	p.until("the first picture", "performance.getEntriesByName('first-contentful-paint').length")
	t.Logf("first picture after %.0f ms", js[float64](p, "performance.getEntriesByName('first-contentful-paint')[0].startTime"))
	move := func(x, y float64) { p.do(func(ctx context.Context) error { return p.mouse(ctx, x, y, false) }) }
	move(1, 1)
	p.click("#wake") // to the menu on the LEDs
	p.until("the menu", "document.body.dataset.phase === 'menu'")
	p.click("#open-match")
	p.until("the configured match", `[...document.querySelectorAll('#match :checked')].map((e) => e.value).join() === 'person,hard,8x8,1,loser,'`)
	js[int](p, `(document.querySelector('[value=computer]').click(), document.querySelector('[value="7x6"]').click(), document.querySelectorAll('[name=level]')[1].click(), 1)`)
	p.click("#start")
	p.until("a turn", "document.body.dataset.phase === 'aim' && document.body.dataset.turn === 'red'")

	// The mouse moves the cursor, and a click drops.
	move(p.at("#columns button:nth-child(6)"))
	p.until("the cursor", "document.querySelector('#columns button:nth-child(6)').classList.contains('cursor')")
	p.click("#columns button:nth-child(6)")
	p.until("both discs", "document.querySelectorAll('#moves li').length === 2 && document.body.dataset.phase === 'aim'")
	moves := js[string](p, "[...document.querySelectorAll('#moves li')].map((m) => m.textContent).join('')")
	if !strings.HasPrefix(moves, "6") {
		t.Errorf("the moves are %s", moves)
	}

	// A match that is ended waits in the menu.
	p.click("#end")
	p.status("The match waits: red 0, yellow 0")
	p.until("one main button", "[...document.querySelectorAll('#over button')].filter((b) => b.checkVisibility()).map((b) => b.id).join() === 'resume,new-match'")
	p.click("#new-match")
	p.until("what it gives up", "document.getElementById('match-waits').checkVisibility()")
	p.check("a new match while one waits")
	p.click("#match-cancel")
	p.keys(kb.ArrowRight)
	p.choose("computer")
	p.keys("j")
	p.status("Computer: ")
	p.click("#resume")
	p.until("the match again", "document.body.dataset.phase === 'aim' && document.querySelectorAll('#moves li').length === 2")

	server.stop()
	if text := server.printed(); !strings.Contains(text, "the match is kept") {
		t.Errorf("it says %q", text)
	}
	p.until("the loss", "document.body.dataset.link === 'lost'")
	_, url = serve(t, state, "--socket", none)
	p.navigate(url)
	p.until("the match", "document.body.dataset.phase === 'aim' && [...document.querySelectorAll('#moves li')].map((m) => m.textContent).join('') === '"+moves+"'")
	p.play()
	p.check("the end of a match")
	p.home("http://127.0.0.1:")
}

// tabTo presses Tab until an element has the focus.
func (p *page) tabTo(id string) {
	p.t.Helper()
	for range 30 {
		if p.keys("\t"); js[bool](p, "document.activeElement.matches('#"+id+", #"+id+" > summary, [name="+id+"]')") {
			return
		}
	}
	p.t.Fatalf("Tab does not reach %s", id)
}

// A match is played by keyboard alone, and the test checks what is announced to screen readers.
func TestKeyboard(t *testing.T) {
	t.Parallel() // it mostly waits
	_, url := serve(t, t.TempDir(), "--local", "--points", "2", "--first", "red")
	p := open(t, url)
	p.until("the demo", "document.body.dataset.phase === 'attract'")
	js[int](p, `(window.said = [], new MutationObserver((all) => all.forEach((m) => m.addedNodes.forEach((n) => window.said.push(n.textContent.trim()))))
		.observe(document.getElementById('live'), {childList: true}), 1)`)
	p.tabTo("open-match")
	p.keys("\r")
	p.until("the dialog", "document.getElementById('match').open")
	p.tabTo("more")
	p.keys("\r")
	p.tabTo("points")
	p.keys(kb.ArrowLeft) // one point instead of two
	p.keys("\r")         // starts, as in every form
	p.until("the match", "document.body.dataset.phase === 'aim' && !document.querySelector('dialog[open]')")
	js[int](p, "(document.activeElement.blur(), 1)")
	for i, key := range "4142434" {
		p.keys(string(key))
		p.until("the disc", "document.querySelectorAll('#moves li').length > "+string(rune('0'+i))+" && document.body.dataset.phase !== 'fall'")
	}
	p.until("the menu", "document.body.dataset.phase === 'menu'")
	said := strings.Join(js[[]string](p, "window.said"), "\n")
	t.Log(said)
	for _, want := range []string{
		"4 in a row on 7x6, first to 1 point.", "Red: column 4, row 1.", "Yellow: column 1, row 1.",
		"Yellow: column 3, row 1.", "Red: column 4, row 4.", "Red wins the round (red 1, yellow 0).", "Red wins the match 1-0.",
	} {
		if strings.Count(said, want) != 1 {
			t.Errorf("%q is said %d times", want, strings.Count(said, want))
		}
	}
	p.tabTo("rematch")
	p.keys("\r")
	p.until("the rematch", "document.body.dataset.phase === 'aim' && document.querySelectorAll('#moves li').length === 0")
	p.sound()
}

// A match is played with one finger.
func TestTouch(t *testing.T) {
	t.Parallel() // it mostly waits
	_, url := serve(t, t.TempDir(), "--local", "--points", "1", "--first", "red")
	p := open(t, url)
	p.until("the demo", "document.body.dataset.phase === 'attract'")
	p.tap("#open-match")
	p.tap("#more summary")
	p.tap("[name=points][value=\"1\"]")
	p.tap("#start")
	p.until("the match", "document.body.dataset.phase === 'aim' && !document.querySelector('dialog[open]')")
	p.tap("#hint")
	p.until("the hint", "document.body.dataset.phase === 'hint'")
	p.tap("#hint")
	for i, column := range "4142434" {
		p.until("the turn", "document.body.dataset.phase === 'aim'")
		p.tap("#columns button:nth-child(" + string(column) + ")")
		p.until("the disc", "document.body.dataset.phase !== 'fall' && document.querySelectorAll('#moves li').length > "+strconv.Itoa(i))
	}
	p.until("the end", "document.body.dataset.phase === 'menu' && document.getElementById('notice').textContent === 'Red wins the match 1-0'")
	p.tap("#look-back")
	p.until("the match", "document.getElementById('replay-title').textContent === 'Red wins the match 1-0'")
	// What the analysis says moves the button.
	p.insists(func() { p.tap("#replay menu button") }, "the page", "!document.querySelector('dialog[open]')")
	p.tap("#rematch")
	p.until("the rematch", "document.body.dataset.phase === 'aim' && document.querySelectorAll('#moves li').length === 0")
	p.home(url[:strings.Index(url, "?")])
	p.sound()
}

// If the browser prefers reduced motion, nothing falls or blinks.
func TestReducedMotion(t *testing.T) {
	t.Parallel() // it mostly waits
	_, url := serve(t, t.TempDir(), "--local", "--points", "1", "--first", "red")
	p := open(t, url, "reduced")
	p.until("the demo", "document.body.dataset.phase === 'attract'")
	js[int](p, `fetch('v1/match', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{"position":"414141"}'}).then((r) => r.status)`)
	p.until("the match", "document.body.dataset.phase === 'aim'")
	time.Sleep(300 * time.Millisecond)
	js[int](p, `(window.shown = [], new MutationObserver(() => window.shown.push([...document.querySelectorAll('#leds i')].map((i) => i.dataset.led).join('')))
		.observe(document.getElementById('leds'), {subtree: true, attributes: true}), 1)`)
	p.keys("4")
	p.until("the menu", "document.body.dataset.phase === 'menu'")
	shown := js[[]string](p, "window.shown")
	for i, leds := range shown {
		if strings.Count(leds, "O") > 20 && leds[8:16] != "........" {
			t.Errorf("picture %d has a disc in the air: %s", i, leds)
		}
	}
	if len(shown) > 8 { // the disc, the line, the point, the winner, dark, the menu
		t.Errorf("%d pictures: %q", len(shown), shown)
	}
	p.sound()
}
