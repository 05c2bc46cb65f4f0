package browser

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// span is something that a thread did, as Chromium traces it.
type span struct {
	Name     string
	Pid, Tid int
	Used     int64           `json:"tdur"` // processor time, in microseconds
	Args     json.RawMessage // the arguments of a thread_name
}

// trace returns what the main threads of the browser's pages do while f runs.
func (p *page) trace(f func(), categories ...string) (spans []span) {
	p.t.Helper()
	c := p.inChromium()
	start := tracing.StartParams{TraceConfig: &tracing.TraceConfig{IncludedCategories: categories, ExcludedCategories: []string{"*"}}}
	if _, err := chromedp.Call(c.ctx, tracing.Start, start); err != nil {
		p.t.Fatal(err)
	}
	f()
	if _, err := chromedp.Call(c.ctx, tracing.End, struct{}{}); err != nil {
		p.t.Fatal(err)
	}
	eventually(p.t, "the trace", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return c.traced
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	mains := map[string]bool{}
	thread := func(s span) string { return fmt.Sprint(s.Pid, "/", s.Tid) }
	for _, s := range c.spans {
		var args struct{ Name string }
		if s.Name == "thread_name" && json.Unmarshal(s.Args, &args) == nil && args.Name == "CrRendererMain" {
			mains[thread(s)] = true
		}
	}
	for _, s := range c.spans {
		if mains[thread(s)] {
			spans = append(spans, s)
		}
	}
	c.spans, c.traced = nil, false
	return spans
}

// tasks fails the test if, while f runs, tasks of the page's main thread take more than 50 ms of
// processor time each, in which the page does not respond. The time that a task waits for the
// processor is not included. Two long tasks are allowed, because one in thousands is long on a busy
// machine; a computer that thinks in this thread would cause a long task with each disc.
func (p *page) tasks(what string, f func()) {
	p.t.Helper()
	if _, ok := p.driver.(*chromium); !ok {
		f()
		return
	}
	count, long, longest := 0, 0, time.Duration(0)
	for _, s := range p.trace(f, "toplevel") {
		if s.Name == "ThreadControllerImpl::RunTask" {
			used := time.Duration(s.Used) * time.Microsecond
			count++
			if used > 50*time.Millisecond {
				long++
			}
			longest = max(longest, used)
		}
	}
	p.t.Logf("%s: %d tasks on the main thread, %d of them long; the longest used the processor for %v", what, count, long, longest)
	if count == 0 || long > 2 {
		p.t.Errorf("%s: %d tasks on the main thread, %d of them long, up to %v", what, count, long, longest)
	}
}

// While nothing changes, the page does nothing: no timer, no frame and no function runs.
func TestIdlePage(t *testing.T) {
	t.Parallel() // it mostly waits
	_, url := serve(t, t.TempDir(), "--local")
	p := open(t, url)
	p.until("the demo", "document.body.dataset.phase === 'attract'")
	p.post("v1/match", `{}`)
	p.until("the match", "document.body.dataset.phase === 'aim'")
	ran := func(f func()) map[string]int {
		counts := map[string]int{}
		for _, s := range p.trace(f, "devtools.timeline") {
			switch s.Name {
			case "TimerFire", "FireAnimationFrame", "FunctionCall":
				counts[s.Name]++
			}
		}
		return counts
	}
	if got := ran(func() { p.keys("l"); time.Sleep(time.Second) }); got["FunctionCall"] == 0 {
		t.Errorf("a key: %v", got)
	}
	if got := ran(func() { time.Sleep(5 * time.Second) }); len(got) != 0 {
		t.Errorf("in five seconds of a turn: %v", got)
	}
	p.sound()
}
