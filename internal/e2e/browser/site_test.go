package browser

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// site builds the page without a server, and serves it as any static host does.
func site(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("../../site/build", dir)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	} else {
		t.Logf("%s", strings.TrimSpace(string(out)))
	}
	s := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(s.Close)
	return s.URL
}

// A match against each level, in the browser alone: the page always chooses the hint's
// column, or the first that is open, until the match is over.
func TestSite(t *testing.T) {
	t.Parallel() // it mostly waits
	p := open(t, site(t))
	p.until("the demo", "document.body.dataset.phase === 'attract'")
	js[int](p, `(window.slow = [], new PerformanceObserver((list) => window.slow.push(...list.getEntries().map((e) => Math.round(e.duration)))).observe({entryTypes: ['longtask']}), 1)`)
	levels := 6
	if testing.Short() {
		levels = 1
	}
	if n := js[int](p, `(document.querySelector('#open-match').click(), document.querySelectorAll('[name=level]').length)`); n != 6 {
		t.Errorf("%d levels", n)
	}
	for level := range levels {
		js[int](p, `(document.querySelector('#match').close(), 1)`)
		p.click("#open-match")
		js[int](p, `(document.querySelector('[name=against][value=computer]').click(), document.querySelector('[name=points]').click(), document.querySelectorAll('[name=level]')[`+string(rune('0'+level))+`].click(), 1)`)
		p.click("#start")
		moves := p.play()
		t.Logf("level %d: %s", level+1, moves)
		p.until("the menu", "document.body.dataset.phase === 'menu'")
	}

	// The last match again, with its curve, and a puzzle from the LEDs' menu.
	p.click("#open-results")
	p.until("the matches", "document.querySelectorAll('#past button').length > 0")
	p.click("#past button")
	p.until("the curve", "document.querySelector('#curve polyline')")
	js[int](p, `(document.querySelectorAll('dialog[open]').forEach((d) => d.close()), document.activeElement.blur(), 1)`)
	p.keys(kb.ArrowUp) // from the levels
	p.choose("puzzle")
	p.keys("\r")
	p.until("the puzzles", "!document.getElementById('status').textContent.includes('puzzle')")
	time.Sleep(300 * time.Millisecond) // a second tap does not count
	p.keys("\r")
	p.status("Puzzle: ")
	for try := 0; js[string](p, "document.body.dataset.phase") != "cheer"; try++ { // one column wins; the others come back
		if try == 60 {
			t.Fatal("the puzzle is not solved by trying every column")
		}
		p.keys(string(rune('1' + try%7)))
		time.Sleep(300 * time.Millisecond)
		p.until("the turn", "['aim', 'cheer'].includes(document.body.dataset.phase)")
	}

	if slow := js[[]int](p, "window.slow"); len(slow) > 0 {
		t.Logf("tasks over 50 ms on the main thread: %v", slow)
	}
	p.sound()
}

// play plays a round to its end by clicking on the columns that the page offers.
func (p *page) play() (last string) {
	p.t.Helper()
	p.until("a turn", "document.body.dataset.phase === 'aim'")
	for {
		phase := js[string](p, "document.body.dataset.phase")
		switch phase {
		case "aim":
			js[int](p, `(() => {
				const open = [...document.querySelectorAll('#columns button:not([hidden])')].filter((b) => !b.ariaLabel.includes('full'));
				open[Math.floor(Math.random() * open.length)].click();
				return 1;
			})()`)
			p.until("the disc", "document.body.dataset.phase !== 'aim' || document.getElementById('notice').textContent !== ''")
		case "cheer", "draw", "score", "victory", "menu":
			return js[string](p, "[...document.querySelectorAll('#moves li')].map((m) => m.textContent).join('')")
		}
	}
}
