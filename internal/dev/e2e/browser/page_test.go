package browser

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

var browserFlag = flag.String("browser", "chromium", "chromium or firefox: the browser of the tests")

// driver controls a browser with one page.
type driver interface {
	eval(ctx context.Context, expression string) (json.RawMessage, error) // waits for a promise; the result is a string
	navigate(ctx context.Context, url string) error
	keys(ctx context.Context, keys string) error // of package kb
	mouse(ctx context.Context, x, y float64, click bool) error
	tap(ctx context.Context, x, y float64) error
	size(ctx context.Context, width, height int64) error
	shot(ctx context.Context) ([]byte, error)
}

// page is a page in a browser that no other test uses.
type page struct {
	driver
	t *testing.T

	mu       sync.Mutex
	faults   []string // exceptions, and errors on the console
	requests []string // addresses that the page requested

	checked []string // with axe-core

	pressed time.Time // the last press, which repeat may repeat
	losses  int       // the connection had been lost so often
	again   func()
	once    bool // repeats no press
}

// open opens a page in a new browser, or skips the test without it. The browser prefers dark colours,
// forced colours or reduced motion, if prefers has "dark", "forced" or "reduced".
func open(t *testing.T, url string, prefers ...string) *page {
	t.Helper()
	command, start := "chromium", startChromium
	if *browserFlag == "firefox" {
		command, start = "firefox-esr", startFirefox
	}
	path, err := exec.LookPath(command)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skipf("there is no %[1]s: apt install %[1]s", command)
	}
	p := &page{t: t}
	p.driver = start(p, path, prefers)
	p.size(390, 844)
	p.navigate(url)
	return p
}

func (p *page) fault(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, text)
}

func (p *page) requested(url string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = append(p.requests, url)
}

// do fails the test if the browser cannot do something.
func (p *page) do(what func(context.Context) error) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := what(ctx); err != nil {
		p.t.Fatal(err)
	}
}

func (p *page) navigate(url string) {
	p.t.Helper()
	p.do(func(ctx context.Context) error { return p.driver.navigate(ctx, url) })
}

// js evaluates an expression, and waits for it if it is a promise.
func js[T any](p *page, expression string) (value T) {
	p.t.Helper()
	p.do(func(ctx context.Context) error {
		text, err := p.eval(ctx, "(async () => JSON.stringify(await ("+strings.TrimSuffix(expression, ";")+")))()")
		if err != nil {
			return err
		}
		var doc string
		if err := json.Unmarshal(text, &doc); err != nil {
			return err
		}
		return json.Unmarshal([]byte(doc), &value)
	})
	return value
}

// until waits until an expression is true.
func (p *page) until(what, expression string) {
	p.t.Helper()
	eventually(p.t, what+": "+expression, func() bool {
		if js[bool](p, "Boolean("+expression+")") {
			return true
		}
		p.repeat()
		return false
	})
}

// insists does something, and again after ten seconds, until an expression is true: a press that is not
// carried out within three seconds is none.
func (p *page) insists(do func(), what, expression string) {
	p.t.Helper()
	var did time.Time
	eventually(p.t, what+": "+expression, func() bool {
		if js[bool](p, "Boolean("+expression+")") {
			p.again = nil // it had its effect
			return true
		}
		if time.Since(did) > 10*time.Second {
			do()
			did = time.Now()
		}
		return false
	})
}

// at returns the middle of an element that can be seen, once there is one.
func (p *page) at(selector string) (x, y float64) {
	p.t.Helper()
	p.until(selector, "document.querySelector('"+selector+"')?.checkVisibility()")
	at := js[[]float64](p, `(() => { const e = document.querySelector('`+selector+`'); e.scrollIntoView({block: 'nearest'}); const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2] })()`)
	return at[0], at[1]
}

// click clicks on an element with the mouse.
func (p *page) click(selector string) {
	p.t.Helper()
	x, y := p.at(selector)
	p.press(func(ctx context.Context) error { return p.mouse(ctx, x, y, true) }, selector, p.click)
}

// tap taps on an element with a finger.
func (p *page) tap(selector string) {
	p.t.Helper()
	x, y := p.at(selector)
	p.press(func(ctx context.Context) error { return p.driver.tap(ctx, x, y) }, selector, p.tap)
}

// keys presses keys.
func (p *page) keys(keys string) {
	p.t.Helper()
	p.press(func(ctx context.Context) error { return p.driver.keys(ctx, keys) }, "body", func(string) { p.keys(keys) })
}

// press presses something, and remembers how to do so again.
func (p *page) press(do func(context.Context) error, selector string, again func(selector string)) {
	p.t.Helper()
	p.losses = js[int](p, `(window.losses ??= (new MutationObserver(() => { window.losses += document.body.dataset.link === 'lost'; })
		.observe(document.body, {attributes: true, attributeFilter: ['data-link']}), 0), window.losses - (document.body.dataset.link === 'lost'))`)
	p.do(do)
	p.pressed, p.again = time.Now(), func() {
		if js[bool](p, "document.querySelector('"+selector+"')?.checkVisibility() === true") {
			p.t.Logf("the connection was lost, and with it a press: %s is pressed again", selector)
			again(selector)
		}
	}
}

// repeat repeats the last press if it had no effect and the connection has been lost since. A busy
// machine loses it now and then, because the page waits three seconds for a press; people press again.
func (p *page) repeat() {
	p.t.Helper()
	if p.again == nil || p.once || time.Since(p.pressed) < 5*time.Second {
		return
	}
	if js[bool](p, fmt.Sprintf("document.body.dataset.link === 'on' && window.losses > %d", p.losses)) {
		p.again()
	}
}

func (p *page) size(width, height int64) {
	p.t.Helper()
	p.do(func(ctx context.Context) error { return p.driver.size(ctx, width, height) })
}

// status waits for a text in the line under the board.
func (p *page) status(text string) {
	p.t.Helper()
	got := ""
	defer func() {
		if p.t.Failed() {
			p.t.Logf("the page says %q", got)
		}
	}()
	eventually(p.t, text, func() bool {
		if got = js[string](p, "document.getElementById('status').textContent"); strings.Contains(got, text) {
			return true
		}
		p.repeat()
		return false
	})
}

// choose moves the LEDs' menu to an item.
func (p *page) choose(item string) {
	p.t.Helper()
	for range 10 {
		p.status("Menu: ")
		now := js[string](p, "document.getElementById('status').textContent")
		if strings.HasPrefix(now+":", "Menu: "+item+":") {
			return
		}
		p.keys(kb.ArrowRight)
		p.until("the next item", "document.getElementById('status').textContent !== '"+now+"'")
	}
	p.t.Fatalf("the menu has no %s", item)
}

// sound fails the test if the page had faults other than the expected ones.
func (p *page) sound(expected ...string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, fault := range p.faults {
		if !slices.ContainsFunc(expected, func(e string) bool { return strings.Contains(fault, e) }) {
			p.t.Error(fault)
		}
	}
}

// home fails the test if the page requested anything from another server.
func (p *page) home(url string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.requests) == 0 {
		p.t.Error("no request was noticed")
	}
	for _, r := range p.requests {
		if !strings.HasPrefix(r, url) {
			p.t.Error("a request for ", r)
		}
	}
}
