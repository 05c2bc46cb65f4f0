package browser

import (
	"context"
	"encoding/json"
	"os"
	"slices"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// chromium drives Chromium through its DevTools.
type chromium struct {
	ctx context.Context
	p   *page

	spans  []span // the spans of a trace
	traced bool   // all spans have arrived
}

func startChromium(p *page, path string, prefers []string) driver {
	p.t.Helper()
	o := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.DisableGPU)
	if os.Geteuid() == 0 {
		o = append(o, chromedp.NoSandbox)
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), o...)
	p.t.Cleanup(cancel)
	c := &chromium{p: p}
	c.ctx, cancel = chromedp.NewContext(ctx, chromedp.WithListener(c.hear))
	p.t.Cleanup(cancel)
	if _, err := chromedp.Run(c.ctx, chromedp.Steps()); err != nil { // starts the browser, with a longer timeout than do
		p.t.Fatal(err)
	}
	messages := chromedp.Console(c.ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == "error" {
				p.fault(m.String())
			}
		}
	}()
	c.prefers(prefers...)
	return c
}

func (c *chromium) hear(ev any) {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		c.p.requests = append(c.p.requests, ev.Request.URL)
	case *tracing.EventDataCollected:
		for _, value := range ev.Value {
			var s span
			if json.Unmarshal(value, &s) == nil {
				c.spans = append(c.spans, s)
			}
		}
	case *tracing.EventTracingComplete:
		c.traced = true
	}
}

// prefers sets what the browser prefers, see open.
func (c *chromium) prefers(what ...string) {
	c.p.t.Helper()
	features := []*emulation.MediaFeature{}
	for name, feature := range map[string]emulation.MediaFeature{
		"dark": {Name: "prefers-color-scheme", Value: "dark"}, "forced": {Name: "forced-colors", Value: "active"},
		"reduced": {Name: "prefers-reduced-motion", Value: "reduce"},
	} {
		if slices.Contains(what, name) {
			features = append(features, &feature)
		}
	}
	if _, err := chromedp.Call(c.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		c.p.t.Fatal(err)
	}
}

// within runs an action in the page, within the time of ctx.
func within[T any](ctx context.Context, c *chromium, action chromedp.Action[T]) (T, error) {
	run, cancel := context.WithCancel(c.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	return chromedp.Run(run, action)
}

func (c *chromium) eval(ctx context.Context, expression string) (json.RawMessage, error) {
	text, err := within(ctx, c, chromedp.Evaluate[string](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		return nil, err
	}
	return json.Marshal(text)
}

func (c *chromium) navigate(ctx context.Context, url string) error {
	_, err := within(ctx, c, chromedp.Navigate(url))
	return err
}

func (c *chromium) keys(ctx context.Context, keys string) error {
	_, err := within(ctx, c, chromedp.KeyEvent(keys))
	return err
}

func (c *chromium) mouse(ctx context.Context, x, y float64, click bool) error {
	_, err := within(ctx, c, chromedp.MouseEvent("mouseMoved", x, y))
	if err == nil && click {
		_, err = within(ctx, c, chromedp.MouseClickXY(x, y))
	}
	return err
}

func (c *chromium) tap(_ context.Context, x, y float64) error {
	_, err := chromedp.Call(c.ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchStart, TouchPoints: []*input.TouchPoint{{X: x, Y: y}}})
	if err == nil {
		_, err = chromedp.Call(c.ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{}})
	}
	return err
}

func (c *chromium) size(ctx context.Context, width, height int64) error {
	_, err := within(ctx, c, chromedp.EmulateViewport(width, height))
	return err
}

func (c *chromium) shot(ctx context.Context) ([]byte, error) {
	return within(ctx, c, chromedp.CaptureScreenshot())
}

// inChromium returns the page's browser, or skips the test: only Chromium is measured.
func (p *page) inChromium() *chromium {
	p.t.Helper()
	c, ok := p.driver.(*chromium)
	if !ok {
		p.t.Skip("only Chromium is measured")
	}
	return c
}
