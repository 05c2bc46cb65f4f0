package bot

import (
	"testing"
	"time"
)

// A meter counts what a program uses and how long it sleeps, not how long it waits for the processor.
func TestMeter(t *testing.T) {
	const tenth = 100 * time.Millisecond
	type interval struct {
		passed, used time.Duration
		awake        bool
	}
	for name, tt := range map[string]struct {
		each      interval
		intervals int // until it is late
		message   string
	}{
		"computes on an idle machine": {interval{tenth, tenth, true}, 10, "1s"},
		"sleeps":                      {interval{tenth, 0, false}, 10, "1s"},
		"computes with two threads":   {interval{tenth, 2 * tenth, true}, 10, "1s"},
		"gets half the processor":     {interval{tenth, tenth / 2, true}, 19, "1s"},
		"gets no processor":           {interval{tenth, 0, true}, 100, "100ms, not counting 9.9s of waiting for the busy machine"},
		"sleeps, and c4hat waits too": {interval{10 * tenth, 0, false}, 10, "1s, not counting 9s of waiting for the busy machine"},
	} {
		now := time.Unix(1000, 0)
		m := newMeter(time.Second, time.Second, now)
		used := 5 * time.Second // before
		for i := 1; ; i++ {
			now, used = now.Add(tt.each.passed), used+tt.each.used
			if late := m.count(now, used, tt.each.awake); late != (i == tt.intervals) {
				t.Errorf("%s: late %t after %d intervals, with %v", name, late, i, m.counted)
			} else if !late {
				continue
			}
			break
		}
		if got := m.String(); got != tt.message {
			t.Errorf("%s: %q, not %q", name, got, tt.message)
		}
	}
}
