package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// client returns a client of the service's socket.
func (d *daemon) client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", d.socket)
	}}}
}

// ask makes a request to the service.
func (d *daemon) ask(t *testing.T, method, path, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://c4hat"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := d.client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, answer.StatusCode, text)
	}
}

// events follows the service's event stream independently of the page, and stores every picture:
// what each LED means.
type events struct {
	mu   sync.Mutex
	leds []string
	from int  // index of the first picture that the pages recorded
	kept bool // the last picture shows a turn, and every disc is on the disk
}

func (d *daemon) follow(ctx context.Context) *events {
	e := new(events)
	client := d.client()
	go func() {
		for ctx.Err() == nil {
			r, _ := http.NewRequestWithContext(ctx, "GET", "http://c4hat/v1/events", nil)
			answer, err := client.Do(r)
			if err != nil {
				time.Sleep(10 * time.Millisecond)
				continue
			}
			lines := bufio.NewScanner(answer.Body)
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				var doc struct {
					LEDs    []string
					Phase   string
					Unsaved bool
				}
				if data, ok := strings.CutPrefix(lines.Text(), "data:"); ok && json.Unmarshal([]byte(data), &doc) == nil {
					e.add(strings.Join(doc.LEDs, ""), doc.Phase == "aim" && !doc.Unsaved)
				}
			}
			answer.Body.Close()
		}
	}()
	return e
}

// add adds a picture that differs from the one before.
func (e *events) add(leds string, kept bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.kept = kept
	if len(e.leds) == 0 || e.leds[len(e.leds)-1] != leds {
		e.leds = append(e.leds, leds)
	}
}

// record makes the page keep every picture that it shows from now on.
func (p *page) record(e *events) {
	p.t.Helper()
	e.mu.Lock()
	e.from = len(e.leds)
	e.mu.Unlock()
	js[int](p, `(window.shown = [], window.now = () => [...document.querySelectorAll('#leds i')].map((i) => i.dataset.led).join(''),
		new MutationObserver(() => window.shown.push(window.now())).observe(document.getElementById('leds'), {subtree: true, attributes: true}), 1)`)
}

// compare fails unless the page has shown the events' pictures, in their order.
func (p *page) compare(e *events) {
	p.t.Helper()
	shown := js[[]string](p, "window.shown")
	eventually(p.t, "the last picture", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return js[string](p, "window.now()") == e.leds[len(e.leds)-1]
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	at := max(e.from-1, 0)
	for i, leds := range shown {
		for at < len(e.leds) && e.leds[at] != leds {
			at++
		}
		if at == len(e.leds) {
			p.t.Fatalf("picture %d of %d of the page is not the next of the %d events:\n%s", i+1, len(shown), len(e.leds), leds)
		}
	}
	events := len(e.leds) - e.from
	if len(shown) < events/10 { // a browser on a busy machine painted only a third of them
		p.t.Errorf("%d pictures for %d events", len(shown), events)
	}
	p.t.Logf("%d pictures in the page, %d events", len(shown), events)
}

// pair pairs the browser: at the joystick, somebody chooses the digit that the page shows.
func (d *daemon) pair(t *testing.T, p *page) {
	t.Helper()
	p.click("#open-pair")
	p.until("the digit", "!document.getElementById('digit').hidden")
	digit := js[string](p, "document.getElementById('digit').textContent")
	time.Sleep(admitted)
	for range 4 {
		d.press(t, keyLeft)
	}
	eventually(t, "the digit on the LEDs", func() bool { return d.lit(t) == strings.Join(glyphs[digit], "") })
	d.press(t, keyEnter)
	p.until("the pairing", "!document.body.classList.contains('watching') && !document.querySelector('dialog[open]')")
}

// If only paired browsers may watch, another one is told so, and is told when the LEDs show its digit.
func TestWatchPaired(t *testing.T) {
	t.Parallel() // it mostly waits
	d := newDaemon(t)
	_, link := serve(t, t.TempDir(), "--socket", d.socket, "--watch", "paired")
	url, _, _ := strings.Cut(link, "?")
	p := open(t, url)
	p.status("Only paired browsers may watch")
	p.check("closed")
	d.pair(t, p)
	p.until("the demo", "document.body.dataset.phase === 'attract'")
	p.sound()
}

// A browser is paired at the HAT, takes yellow, and plays a match against the joystick's red, while
// another browser only watches. The service is killed and started again, and the page reconnects.
func TestDaemon(t *testing.T) {
	t.Parallel() // it mostly waits
	d := newDaemon(t)
	_, link := serve(t, t.TempDir(), "--socket", d.socket)
	url, _, _ := strings.Cut(link, "?")
	e := d.follow(t.Context())
	p, watcher := open(t, url), open(t, url)
	for _, p := range []*page{p, watcher} {
		p.until("the demo", "document.body.dataset.phase === 'attract' && document.body.classList.contains('watching')")
	}
	d.press(t, keyLeft) // to the menu, whose picture does not change
	p.until("the menu", "document.body.dataset.phase === 'menu'")
	watcher.until("the menu", "document.body.dataset.phase === 'menu'")

	d.pair(t, p)
	p.record(e)
	watcher.record(e)

	// Start a match and take yellow.
	p.click("#open-match")
	js[int](p, `(document.querySelector('[name=you][value=second]').click(), document.querySelector('[name=points]').click(), document.querySelector('[name=first][value=red]').click(), 1)`)
	p.click("#start")
	p.until("the match", "document.body.dataset.phase === 'aim' && document.querySelector('[data-seat=yellow]').textContent === 'leave'")
	p.status("Red to move")

	// The joystick cannot drop yellow's disc, nor can the page drop red's.
	p.click("#columns button:nth-child(2)")
	p.until("the refusal", "document.getElementById('notice').textContent !== ''")
	watcher.until("nothing to press", "document.getElementById('hint').offsetParent === null")
	red := func() {
		t.Helper()
		p.until("red's turn", "document.body.dataset.phase === 'aim' && document.body.dataset.turn === 'red'")
		time.Sleep(300 * time.Millisecond) // a second drop within a quarter of a second is ignored
		d.press(t, keyEnter)
		p.until("yellow's turn", "['cheer', 'score', 'victory', 'menu'].includes(document.body.dataset.phase) || document.body.dataset.phase === 'aim' && document.body.dataset.turn === 'yellow'") // a slow browser misses pictures
	}
	yellow := func() {
		t.Helper()
		p.status("Your turn")
		p.insists(func() { p.click("#columns button:nth-child(1)") }, "red's turn", "document.body.dataset.turn === 'red'")
	}
	red()
	d.press(t, keyEnter)
	watcher.until("the joystick's refusal", "document.getElementById('notice').textContent !== ''")
	if text := js[string](p, "document.getElementById('notice').textContent"); text != "" {
		t.Errorf("in its own turn the page says %q", text)
	}
	yellow()
	red()

	// Ask for a hint, pause, and take a disc back.
	p.click("#hint")
	p.status("Column ")
	p.click("#hint")
	p.until("the turn again", "document.body.dataset.phase === 'aim'")
	p.click("#pause")
	p.status("Pause: ")
	p.click("#pause")
	p.status("Your turn")
	yellow()
	p.click("#undo")
	p.until("the disc is back", "document.querySelectorAll('#moves li').length === 3 && document.body.dataset.phase === 'aim'")
	time.Sleep(300 * time.Millisecond) // as above
	yellow()
	p.compare(e)
	watcher.compare(e)

	// Kill the service: the page reports the loss, and by itself returns to the same match and its seat.
	eventually(t, "the disc on the disk", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return e.kept
	})
	d.kill()
	p.until("the loss", "document.body.dataset.link === 'lost'")
	d.start(t)
	p.until("the match again", "document.body.dataset.link === 'on' && document.querySelectorAll('#moves li').length === 4")
	p.until("the seat again", "document.querySelector('[data-seat=yellow]').textContent === 'leave'")
	red()
	yellow()
	red() // four in column 4
	p.until("the menu", "document.body.dataset.phase === 'menu'")
	p.compare(e)

	// Open the results, and the match with the curve of its score.
	p.click("#open-results")
	p.click("#past button")
	p.until("the curve", "document.querySelector('#curve polyline') && document.getElementById('replay-story').textContent.includes('est columns played')")
	p.click("#step-first")
	p.until("an empty board", "document.getElementById('replay-says').textContent.endsWith('; red starts')")
	for _, p := range []*page{p, watcher} {
		p.home(url)
	}
	p.sound("502", "503", "409", "ERR_") // the browser logs the requests that were meant to fail
	watcher.sound("502", "503", "ERR_")
}

// glyphs are the digits on the LEDs.
var glyphs = map[string][]string{
	"1": {"...##...", "..###...", ".####...", "...##...", "...##...", "...##...", "...##...", ".######."},
	"2": {"..####..", ".##..##.", ".....##.", "....##..", "...##...", "..##....", ".##.....", ".######."},
	"3": {".#####..", ".....##.", ".....##.", "..####..", ".....##.", ".....##.", ".....##.", ".#####.."},
	"4": {"....##..", "...###..", "..#.##..", ".#..##..", ".######.", "....##..", "....##..", "....##.."},
	"5": {".######.", ".##.....", ".##.....", ".#####..", ".....##.", ".....##.", ".##..##.", "..####.."},
	"6": {"..####..", ".##.....", ".##.....", ".#####..", ".##..##.", ".##..##.", ".##..##.", "..####.."},
	"7": {".######.", ".....##.", "....##..", "....##..", "...##...", "...##...", "..##....", "..##...."},
	"8": {"..####..", ".##..##.", ".##..##.", "..####..", ".##..##.", ".##..##.", ".##..##.", "..####.."},
	"9": {"..####..", ".##..##.", ".##..##.", ".##..##.", "..#####.", ".....##.", ".....##.", "..####.."},
}
