package game

import "time"

// Source identifies an input: panels of this machine count from 0, remote clients from
// [Remote].
type Source uint32

// Remote is the first remote source.
const Remote Source = 1 << 8

// dropWindow is how long after a key that drops another such key of the same input does not
// count, whatever the first one did: dropped a disc, skipped a score, chose from a menu.
// The second tap of a nervous thumb must not drop the other player's disc. Continuous
// tapping drops nothing, and blocks no other input. A refused key starts no window: the
// player may choose again at once.
const dropWindow = 250 * time.Millisecond

// windows holds when each input last pressed a key that drops. Each panel has a place of
// its own. Remote clients, however many there are, share a few places, and the latest
// ones have them.
type windows struct {
	local  [4]window
	remote [8]window
}

type window struct {
	from  Source
	began time.Time
}

// place returns the place of an input; for a remote client without one, the oldest place.
func (w *windows) place(from Source) *window {
	if from < Remote {
		return &w.local[from%Source(len(w.local))]
	}
	place := &w.remote[0]
	for i := range w.remote {
		if w.remote[i].from == from {
			return &w.remote[i]
		}
		if w.remote[i].began.Before(place.began) {
			place = &w.remote[i]
		}
	}
	return place
}

// begin starts the window of a key that drops.
func (w *windows) begin(from Source, now time.Time) { *w.place(from) = window{from, now} }

// end returns when the window of an input ends, or the zero time if it has none.
func (w *windows) end(from Source) time.Time {
	if p := w.place(from); p.from == from {
		return p.began.Add(dropWindow)
	}
	return time.Time{}
}

// dark returns when the cursor lights up again, which shows that keys count. Remote
// clients cannot keep it dark.
func (w *windows) dark() (end time.Time) {
	for from := range w.local {
		if e := w.end(Source(from)); e.After(end) {
			end = e
		}
	}
	return end
}
