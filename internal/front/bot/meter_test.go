package bot

import (
	"testing"
	"time"
)

// A meter counts what a program uses and how long it sleeps, not how long it waits for the processor.
func TestMeter(t *testing.T) {
	const tenth = 100 * time.Millisecond
	for name, tt := range map[string]struct {
		used      time.Duration // in each tenth
		awake     bool
		intervals int // until it is late
	}{
		"computes on an idle machine": {tenth, true, 10},
		"sleeps":                      {0, false, 10},
		"computes with two threads":   {2 * tenth, true, 10},
		"gets half the processor":     {tenth / 2, true, 19},
		"gets no processor":           {0, true, 100},
	} {
		m, used, n := meter{limit: time.Second, every: tenth}, 5*time.Second, 1
		for ; !m.late(used, tt.awake); n++ {
			used += tt.used
		}
		if n != tt.intervals {
			t.Errorf("%s: late after %d intervals, with %v", name, n, m.counted)
		}
	}
}
