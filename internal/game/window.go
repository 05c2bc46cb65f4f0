package game

import "time"

// Source tells inputs apart: the panels of this machine are counted from 0, whoever is
// far away from [Remote].
type Source uint32

// Remote is the first source that is far away.
const Remote Source = 1 << 8

// dropWindow is how soon after a key that drops another one of the same input counts,
// whatever the first did: dropped a disc, skipped a score, chose from a menu. The
// second tap of a nervous thumb must not drop the other player's disc. Who keeps
// tapping drops nothing, and keeps nobody else from dropping. A key that is refused
// does not begin it: the player may choose again at once.
const dropWindow = 250 * time.Millisecond

// windows are when the last keys that drop were pressed. There is a place for each
// panel. Those far away are without number: the latest are remembered.
type windows struct {
	here [4]time.Time
	far  [8]struct {
		from Source
		at   time.Time
	}
}

// begin remembers a key that drops.
func (w *windows) begin(from Source, now time.Time) {
	if from < Remote {
		w.here[from%Source(len(w.here))] = now
		return
	}
	oldest := 0
	for i := range w.far {
		if w.far[i].from == from {
			oldest = i
			break
		}
		if w.far[i].at.Before(w.far[oldest].at) {
			oldest = i
		}
	}
	w.far[oldest].from, w.far[oldest].at = from, now
}

// end is from when on a key that drops counts.
func (w *windows) end(from Source) time.Time {
	if from < Remote {
		return w.here[from%Source(len(w.here))].Add(dropWindow)
	}
	for i := range w.far {
		if w.far[i].from == from {
			return w.far[i].at.Add(dropWindow)
		}
	}
	return time.Time{}
}

// dark is until when the cursor stays dark: it shows when a key counts. Nobody far away
// can keep it so.
func (w *windows) dark() (end time.Time) {
	for from := range w.here {
		if e := w.end(Source(from)); e.After(end) {
			end = e
		}
	}
	return end
}
