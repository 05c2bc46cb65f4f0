package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// The replay steps by keys, marks the winning line, and plays what follows after a mistake and what would
// have been better.
func TestReplay(t *testing.T) {
	t.Parallel() // it mostly waits
	_, url := serve(t, t.TempDir(), "--local", "--points", "1", "--first", "red")
	p := open(t, url)
	p.until("the demo", "document.body.dataset.phase === 'attract'")
	p.post("v1/match", `{"position":"414142"}`)
	p.until("the turn", "document.body.dataset.phase === 'aim'")
	p.click("#columns button:nth-child(4)")
	p.until("the menu", "document.body.dataset.phase === 'menu'")
	js[int](p, `(() => { // an analysis with reasons
		const real = window.fetch;
		window.fetch = (path, ...rest) => path !== 'v1/analyse' ? real(path, ...rest) : Promise.resolve(new Response(JSON.stringify({text: ['a text'], discs: [
			{ply: 4, player: 'yellow', column: 1, before: -1, after: null, best: [4], mark: '', remark: 'missed-block', cells: [[4, 2]], text: 'Disc 4: yellow had to block column 4.'},
			{ply: 6, player: 'yellow', column: 2, before: -1, after: -18, best: [4], mark: '??', text: 'Disc 6 lost the game.',
				why: {kind: 'wins', cells: [[4, 4]], line: '4', after: 1}, better: {kind: 'blocks', cells: [[4, 4]], line: '43', after: 0}}]})));
		return 1;
	})()`)
	p.click("#open-results")
	p.click("#past button")
	p.until("the analysis", "document.getElementById('replay-story').textContent === 'A text.'")
	board := func(what, lit string) {
		t.Helper()
		p.until(what, "[...document.querySelectorAll('#replay-board i')].map((i) => i.dataset.led).join('') === '"+lit+"'")
	}
	board("the line", "................OOOOOOO.OOOOOOO.OOOWOOO.OOOWOOO.YOOWOOO.YYOWOOO.")
	p.click("#line-mark")
	p.until("the mistake", "!document.getElementById('line-mark').hidden && document.getElementById('replay-says').textContent === 'Disc 6 lost the game.'")
	const mistake = "................OOOOOOO.OOOOOOO.OOOOOOO.OOOROOO.YOOROOO.YYOROOO."
	board("the mistake", mistake)
	p.check("a mistake")
	p.click("#line-why")
	board("what follows", "................OOOOOOO.OOOOOOO.OOOWOOO.OOOROOO.YOOROOO.YYOROOO.")
	p.keys(kb.ArrowRight)
	p.keys(kb.ArrowLeft)
	board("the mistake", mistake)
	p.click("#line-better")
	p.click("#line-better")
	board("what was better", "................OOOOOOO.OOOOOOO.OOOWOOO.OOOROOO.YOOROOO.YORROOO.")
	p.check("what was better")
	p.until("its disc", "document.getElementById('replay-says').textContent === 'Red 3'")
	p.until("its reason", "document.getElementById('replay-why').textContent === 'Disc 6 lost the game.'")
	p.until("both marks and both sides", "document.querySelectorAll('#curve circle').length === 2 && document.getElementById('curve').textContent === 'Red winsYellow wins'")
	p.sound()
}
