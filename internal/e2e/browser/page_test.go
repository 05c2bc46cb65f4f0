package browser

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// page is a page in a browser that no other test uses.
type page struct {
	ctx context.Context
	t   *testing.T

	mu       sync.Mutex
	faults   []string // exceptions, and errors on the console
	requests []string // addresses that the page requested

	spans   []span   // the spans of a trace
	traced  bool     // all spans have arrived
	checked []string // with axe-core
}

// open opens a page in a new browser, or skips the test without Chromium.
func open(t *testing.T, url string) *page {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip("there is no chromium: apt install chromium")
	}
	o := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.DisableGPU)
	if os.Geteuid() == 0 {
		o = append(o, chromedp.NoSandbox)
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), o...)
	t.Cleanup(cancel)
	p := &page{t: t}
	p.ctx, cancel = chromedp.NewContext(ctx, chromedp.WithListener(func(ev any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch ev := ev.(type) {
		case *network.EventRequestWillBeSent:
			p.requests = append(p.requests, ev.Request.URL)
		case *tracing.EventDataCollected:
			for _, value := range ev.Value {
				var s span
				if json.Unmarshal(value, &s) == nil {
					p.spans = append(p.spans, s)
				}
			}
		case *tracing.EventTracingComplete:
			p.traced = true
		}
	}))
	t.Cleanup(cancel)
	if _, err := chromedp.Run(p.ctx, chromedp.Steps()); err != nil { // starts the browser, with a longer timeout than do
		t.Fatal(err)
	}
	messages := chromedp.Console(p.ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == "error" {
				p.mu.Lock()
				p.faults = append(p.faults, m.String())
				p.mu.Unlock()
			}
		}
	}()
	p.size(390, 844)
	p.do(chromedp.Navigate(url))
	return p
}

// do runs an action in the page.
func (p *page) do(action chromedp.Action[chromedp.Void]) { p.t.Helper(); get(p, action) }

// get is do with a result.
func get[T any](p *page, action chromedp.Action[T]) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	result, err := chromedp.Run(ctx, action)
	if err != nil {
		p.t.Fatal(err)
	}
	return result
}

// js evaluates an expression, and waits for it if it is a promise.
func js[T any](p *page, expression string) T {
	p.t.Helper()
	return get(p, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// until waits until an expression is true.
func (p *page) until(what, expression string) {
	p.t.Helper()
	eventually(p.t, what+": "+expression, func() bool { return js[bool](p, "Boolean("+expression+")") })
}

// click clicks on an element as a mouse does.
func (p *page) click(selector string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// keys presses keys.
func (p *page) keys(keys string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys))
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
		got = js[string](p, "document.getElementById('status').textContent")
		return strings.Contains(got, text)
	})
}

// choose moves the LEDs' menu to an item.
func (p *page) choose(item string) {
	p.t.Helper()
	for range 10 {
		p.status("Menu: ")
		now := js[string](p, "document.getElementById('status').textContent")
		if now == "Menu: "+item {
			return
		}
		p.keys(kb.ArrowRight)
		p.until("the next item", "document.getElementById('status').textContent !== '"+now+"'")
	}
	p.t.Fatalf("the menu has no %s", item)
}

func (p *page) size(width, height int64) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(width, height))
}

// prefers sets a preference that the browser reports, such as "prefers-color-scheme" to "dark".
func (p *page) prefers(feature, value string) {
	p.t.Helper()
	params := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: feature, Value: value}}}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, params); err != nil {
		p.t.Fatal(err)
	}
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
