package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// site builds the page without a server, and serves it as any static host does.
func site(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.FileServer(http.Dir(built(t))))
	t.Cleanup(s.Close)
	return s
}

// built builds the page without a server into a folder.
func built(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("../../site/build", dir)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	} else {
		t.Logf("%s", strings.TrimSpace(string(out)))
	}
	return dir
}

// Once the page has been seen, it works without a network.
func TestOffline(t *testing.T) {
	t.Parallel() // it mostly waits
	s := site(t)
	p := open(t, s.URL)
	p.until("the demo", "document.body.dataset.phase === 'attract'")
	js[int](p, `(navigator.serviceWorker.ready.then((r) => window.worker = r.active), 1)`)
	p.until("the files", "window.worker?.state === 'activated'")
	s.Close()
	p.navigate(s.URL)
	p.until("the demo, offline", "document.body.dataset.phase === 'attract'")
}

// Double-clicked, the page plays in Firefox; in Chromium, which loads no modules from files, it says what
// to do.
func TestFromFile(t *testing.T) {
	t.Parallel() // it mostly waits
	p := open(t, "file://"+built(t)+"/index.html")
	if *browserFlag == "firefox" {
		p.until("the demo", "document.body.dataset.phase === 'attract'")
		return
	}
	p.status("A browser cannot play from a file: run c4hat web, or python3 -m http.server in this folder.")
}

// A match is played against each level, in the browser alone. The page responds while the computer
// thinks.
func TestSite(t *testing.T) {
	t.Parallel() // it mostly waits
	p := open(t, site(t).URL)
	p.until("the demo", "document.body.dataset.phase === 'attract'")
	p.check("the demo")
	levels := js[int](p, `(document.querySelector('#open-match').click(), document.querySelectorAll('[name=level]').length)`)
	if levels < 6 {
		t.Errorf("%d levels", levels)
	}
	for level := range levels {
		if level > 0 && testing.Short() {
			break
		}
		js[int](p, `(document.querySelector('#match').close(), 1)`)
		p.click("#open-match")
		js[int](p, `(document.querySelector('[name=against][value=computer]').click(), document.querySelector('[name=points]').click(), document.querySelectorAll('[name=level]')[`+string(rune('0'+level))+`].click(), 1)`)
		p.click("#start")
		p.tasks("level "+string(rune('1'+level)), func() {
			if level == levels-1 {
				t.Log(p.playBest()) // so that level perfect must search: the first discs are in its opening book
				return
			}
			t.Log(p.play())
		})
		p.until("the menu", "document.body.dataset.phase === 'menu'")
	}

	// Open the last match with the curve of its score, and then a puzzle from the LEDs' menu.
	p.click("#open-results")
	p.until("the matches", "document.querySelectorAll('#past button').length > 0")
	p.click("#past button")
	p.until("the curve", "document.querySelector('#curve polyline')")
	p.check("replay")
	js[int](p, `(document.querySelectorAll('dialog[open]').forEach((d) => d.close()), document.activeElement.blur(), 1)`)
	p.status("Computer: ")
	p.keys(kb.ArrowUp)
	p.choose("puzzle")
	p.keys("\r")
	p.status("Puzzle: ")
	time.Sleep(300 * time.Millisecond) // a second tap would be ignored
	p.keys("\r")
	p.status(" moves and wins with ")
	p.check("a puzzle")
	for try := 0; js[string](p, "document.body.dataset.phase") != "cheer"; try++ { // one column wins; discs in the others are taken back
		if try == 60 {
			t.Fatal("the puzzle is not solved by trying every column")
		}
		p.keys(string(rune('1' + try%7)))
		time.Sleep(300 * time.Millisecond)
		p.until("the turn", "['aim', 'cheer'].includes(document.body.dataset.phase)")
	}

	p.sound()
}

// play plays a round to its end by clicking on columns that the page offers.
func (p *page) play() (moves string) {
	p.t.Helper()
	return p.round(func() {
		js[int](p, `(() => {
			const open = [...document.querySelectorAll('#columns button:not([hidden])')].filter((b) => !b.ariaLabel.includes('full'));
			open[Math.floor(Math.random() * open.length)].click();
			return 1;
		})()`)
	})
}

// playBest plays a round to its end by clicking on the columns that the hint calls the best.
func (p *page) playBest() (moves string) {
	p.t.Helper()
	return p.round(func() {
		p.click("#hint")
		p.until("the hint", "document.body.dataset.phase === 'hint'")
		best := js[int](p, `(() => {
			const scores = [...document.querySelectorAll('#columns button:not([hidden])')].map((b) => b.dataset.score === '' ? -99 : Number(b.dataset.score.replace('−', '-')));
			return 1 + scores.indexOf(Math.max(...scores));
		})()`)
		p.click("#hint")
		p.until("the turn", "document.body.dataset.phase === 'aim'")
		time.Sleep(300 * time.Millisecond) // a second tap would be ignored
		p.click(fmt.Sprintf("#columns button:nth-child(%d)", best))
	})
}

// round plays a round to its end and returns its moves. After a draw it plays the next one.
func (p *page) round(drop func()) (moves string) {
	p.t.Helper()
	p.until("a turn", "document.body.dataset.phase === 'aim'")
	for {
		switch js[string](p, "document.body.dataset.phase") {
		case "aim":
			p.insists(drop, "the disc", "document.body.dataset.phase !== 'aim' || document.getElementById('notice').textContent !== ''")
		case "cheer", "score", "victory", "menu":
			return js[string](p, "[...document.querySelectorAll('#moves li')].map((m) => m.textContent).join('')")
		}
	}
}
