//go:build machine

package e2e

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/e2e/inside"
)

// measureLatency logs the time from a press to the LEDs' change, and c4hat's share of it. It checks
// no limit, because QEMU is not a Pi.
func measureLatency(t *testing.T, m *Machine) {
	took := m.Latencies(*presses)
	row := func(what string, of func(inside.Latency) time.Duration) {
		sorted := slices.SortedFunc(slices.Values(took), func(a, b inside.Latency) int { return cmp.Compare(of(a), of(b)) })
		at := func(percent int) time.Duration {
			return of(sorted[(len(sorted)-1)*percent/100]).Round(10 * time.Microsecond)
		}
		t.Logf("%-28s median %v, 90 %% %v, 99 %% %v, max %v", what, at(50), at(90), at(99), at(100))
	}
	row("press to LEDs changed:", func(l inside.Latency) time.Duration { return l.Lit })
	row("ours, to the frame written:", func(l inside.Latency) time.Duration { return l.Written })
	row("the kernel's flush and bus:", func(l inside.Latency) time.Duration { return l.Lit - l.Written })
	var ours, all time.Duration
	for _, l := range took {
		ours, all = ours+l.Written, all+l.Lit
	}
	t.Logf("our share of %d presses: %.1f %%", len(took), 100*float64(ours)/float64(all))
}
