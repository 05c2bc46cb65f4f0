package browser

import (
	"fmt"
	"strings"
	"testing"
)

// The view for a projector follows the match, and a tournament with its table. It has no controls, and no
// text is smaller than a thirtieth of the window.
func TestScreen(t *testing.T) {
	t.Parallel() // it mostly waits
	d := newDaemon(t)
	_, link := serve(t, t.TempDir(), "--socket", d.socket)
	url, _, _ := strings.Cut(link, "/?")
	s := open(t, url+"/screen")
	s.until("the demo", "document.getElementById('status').textContent === 'Nobody plays: a demo runs'")
	small := func(what string) {
		t.Helper()
		for _, size := range [][2]int64{{1024, 768}, {1280, 800}, {1920, 1080}} {
			s.size(size[0], size[1])
			s.save(fmt.Sprintf("screen-%s-%dx%d", what, size[0], size[1]))
			s.fits(fmt.Sprintf("%s, %dx%d", what, size[0], size[1]), "#panel", ".player", "#status", "#event")
			for _, text := range js[[]string](s, `[...document.querySelectorAll('b, p, td, th, caption')].filter((e) => e.textContent && e.checkVisibility() && !e.closest('.unseen') && parseFloat(getComputedStyle(e).fontSize) < innerHeight / 30).map((e) => e.textContent)`) {
				t.Errorf("%s, %v: %q is small", what, size, text)
			}
		}
	}
	small("the demo")
	s.check("screen: the demo")
	d.ask(t, "POST", "/v1/match", `{"position":"4455"}`)
	d.ask(t, "DELETE", "/v1/match", "")
	d.ask(t, "POST", "/v1/press", `{"key":"up"}`) // leaves the menu
	p := open(t, link)
	p.until("the demo", "document.getElementById('status').textContent === 'Nobody plays: a demo runs'")
	d.ask(t, "POST", "/v1/match", `{"position":"44","computer":"yellow","level":"easy"}`)
	s.until("the names", "document.getElementById('name-yellow').textContent === 'Yellow · easy' && document.getElementById('status').textContent === 'Red to move'")
	p.status("Your turn")
	open(t, url).status("Red to move") // it may only watch
	d.ask(t, "POST", "/v1/seat", `{"seat":"red","name":"bot"}`)
	p.status("Red is played by bot") // nobody who can open the page plays
	small("a match")
	s.check("screen: a match")
	s.until("no controls", "document.querySelectorAll('button, input, a').length === 0")
	d.kill()
	s.until("the loss", "document.getElementById('status').textContent === 'The connection is lost. Trying again …'")
	s.sound("ERR_") // the service was killed
}
