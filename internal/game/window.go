package game

import "time"

// Source identifies the sender of events. The zero value is the first panel of this machine.
type Source struct {
	Kind SourceKind
	ID   uint64 // different for each source of a kind
}

// SourceKind says what kind of sender a [Source] is.
type SourceKind uint8

// The kinds of sources.
const (
	Panel  SourceKind = iota // a panel of this machine, such as the HAT or a terminal
	Client                   // a connection to the socket
	Holder                   // the holder of a seat, whichever connection it uses
)

// dropWindow is how long after a drop key further drop keys from the same source drop nothing, so
// that an accidental second tap does not drop the other player's disc. It does not matter whether
// the first key dropped a disc, skipped a score or chose from a menu. Every drop key restarts this
// time, so continuous tapping drops nothing. Other sources are not blocked. After a refused key the
// player may choose again at once.
const dropWindow = 250 * time.Millisecond

// windows holds when each source last pressed a drop key. Each panel has a place of its own. The
// remote clients, however many there are, share eight places; the clients that pressed last occupy
// them.
type windows struct {
	local  [4]window
	remote [8]window
}

type window struct {
	from  Source
	began time.Time
}

// place returns the place of a source. A remote client that has none gets the one that was used
// least recently.
func (w *windows) place(from Source) *window {
	if from.Kind == Panel {
		return &w.local[from.ID%uint64(len(w.local))]
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

// begin starts the window of a drop key.
func (w *windows) begin(from Source, now time.Time) { *w.place(from) = window{from, now} }

// end returns when the window of a source ends, or the zero time if the source has none.
func (w *windows) end(from Source) time.Time {
	if p := w.place(from); p.from == from {
		return p.began.Add(dropWindow)
	}
	return time.Time{}
}

// dark returns when the cursor lights up again, to show that drop keys work again. Remote clients
// cannot keep the cursor dark.
func (w *windows) dark() (end time.Time) {
	for id := range w.local {
		if e := w.end(Source{ID: uint64(id)}); e.After(end) {
			end = e
		}
	}
	return end
}
