package game

import (
	"testing"
	"time"
)

// Each of the latest eight remote sources has a window. A ninth source takes the place of the one
// that pressed a drop key longest ago.
func TestRemoteWindows(t *testing.T) {
	var w windows
	start := time.Unix(1000, 0)
	at := func(i int) time.Time { return start.Add(time.Duration(i) * time.Millisecond) }
	for i := range len(w.remote) {
		w.begin(Source{Client, uint64(i)}, at(i))
	}
	for i := range len(w.remote) {
		if got, want := w.end(Source{Client, uint64(i)}), at(i).Add(dropWindow); got != want {
			t.Errorf("input %d: the window ends at %v, want %v", i, got, want)
		}
	}
	w.begin(Source{Client, 1}, at(20)) // no longer the second oldest
	w.begin(Source{Client, 8}, at(21))
	w.begin(Source{Client, 9}, at(22))
	for i, want := range []bool{false, true, false, true, true, true, true, true, true, true} {
		if got := !w.end(Source{Client, uint64(i)}).IsZero(); got != want {
			t.Errorf("input %d: has a window: %t, want %t", i, got, want)
		}
	}
}
