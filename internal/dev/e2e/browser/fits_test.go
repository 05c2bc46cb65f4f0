package browser

import (
	"fmt"
	"strings"
	"testing"
)

// Windows of phones, upright and on their side, of a tablet and of a desktop, and the desktop's when
// it is magnified four times.
var sizes = [][2]int64{{320, 568}, {360, 640}, {640, 360}, {768, 1024}, {1280, 800}, {320, 200}}

// fits fails the test if an element is not whole in the window, or if the page is wider than that.
func (p *page) fits(what string, selectors ...string) {
	p.t.Helper()
	js[int](p, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))`)
	for _, cut := range js[[]string](p, `[...(document.documentElement.scrollWidth > innerWidth ? ['wider than the window'] : []),
		...document.querySelectorAll('`+strings.Join(selectors, ", ")+`')].filter((e) => {
			if (!e.getBoundingClientRect) return true;
			const r = e.getBoundingClientRect();
			return r.width && (r.left < -1 || r.top < -1 || r.right > innerWidth + 1 || r.bottom > innerHeight + 1);
		}).map((e) => e.outerHTML ? e.outerHTML.slice(0, 80) + ' ' + JSON.stringify(e.getBoundingClientRect()) : e)`) {
		p.t.Errorf("%s: %s", what, cut)
	}
}

// What a turn needs is in sight in every window, and so are the frequent choices of a dialog.
func TestFits(t *testing.T) {
	t.Parallel() // it mostly waits
	_, url := serve(t, t.TempDir(), "--local", "--points", "1", "--first", "red")
	p := open(t, url)
	p.until("the demo", "document.body.dataset.phase === 'attract'")
	p.post("v1/match", `{"position":"44536335251"}`)
	p.until("the match", "document.body.dataset.phase === 'aim'")
	for _, size := range sizes {
		p.size(size[0], size[1])
		name := fmt.Sprintf("%dx%d", size[0], size[1])
		turn, choices := []string{"#panel", "#status"}, []string{"#start"}
		if size[1] > 300 {
			turn = append(turn, "#numbers", "#score", "#notice", "#actions button", "#stick button")
			choices = append(choices, "#match [name=against]", "#match [name=level]", "#more summary", "#match-cancel")
		}
		p.fits(name, turn...)
		p.click("#open-match")
		p.until("the dialog", "document.getElementById('match').open")
		p.fits(name+", new match", choices...)
		p.click("#match-cancel")
		p.click("#open-settings")
		p.until("the dialog", "document.getElementById('settings').open")
		p.fits(name+", settings", "#settings menu button")
		p.click("#settings menu button")
	}
	p.size(390, 844)
	p.post("v1/match", `{"position":"414141","points":1,"force":true}`)
	p.until("the turn", "document.body.dataset.phase === 'aim' && document.querySelectorAll('#moves li').length === 6")
	p.click("#columns button:nth-child(4)")
	p.until("the end", "document.body.dataset.phase === 'menu'")
	for _, size := range sizes {
		p.size(size[0], size[1])
		name := fmt.Sprintf("%dx%d", size[0], size[1])
		if size[1] > 300 {
			p.fits(name+", the end", "#panel", "#status", "#rematch", "#look-back", "#new-match")
		}
		p.click("#open-results")
		p.until("the matches", "document.querySelector('#past button')")
		p.fits(name+", results", "#results menu button")
		if n := js[int](p, `(() => {
			const past = document.getElementById('past');
			const more = Array.from({length: 12}, () => past.firstElementChild.cloneNode(true)); // which open nothing
			past.append(...more);
			const cut = [...past.children].filter((e) => e.scrollHeight > e.clientHeight + 1).length;
			more.forEach((e) => e.remove());
			return cut;
		})()`); n > 0 {
			t.Errorf("%s: %d results are cut off", name, n)
		}
		p.click("#past button")
		p.until("the curve", "document.querySelector('#curve polyline')")
		steps := []string{"#replay menu button"}
		if size[1] > 300 {
			steps = append(steps, "#replay-board", ".steps button", "#step", "#replay-says")
		}
		p.fits(name+", replay", steps...)
		js[int](p, `(document.querySelectorAll('dialog[open]').forEach((d) => d.close()), 1)`)
	}
	p.sound()
}
