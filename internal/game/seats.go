package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
)

// seatTime is how long a seat stays taken while its holder has no stream of events open.
const seatTime = 30 * time.Second

func (s *State) seat(player board.Disc) *seat { return &s.seats[player-board.Red] }

func (t *step) own() *seat {
	for i := range t.seats {
		if t.from.Kind == Holder && t.seats[i].holder == t.from {
			return &t.seats[i]
		}
	}
	return nil
}

// stale reports whether an event is a key of a source that has lost its seat. Such a key does nothing:
// it was meant for another match.
func (t *step) stale(ev Event) bool {
	switch ev.(type) {
	case Press, Column, Disc, Point, Command, Select, Choose:
		return t.from.Kind == Holder && t.own() == nil
	}
	return false
}

// barred reports whether a source may not play a player's discs. The holder of a seat may
// play only the discs of that seat; everybody else, only those of open seats.
func (s *State) barred(from Source, player board.Disc) bool {
	if from.Kind != Holder {
		from = Source{}
	}
	return s.seat(player).holder != from
}

// steers reports whether a source may move a player's cursor.
func (s *State) steers(from Source, player board.Disc) bool {
	return player != s.record.Computer && !s.barred(from, player)
}

func (t *step) take(ev Take) error {
	switch {
	case !t.underWay():
		return ErrNoMatch
	case ev.Player == t.record.Computer:
		return ErrComputers
	case t.seat(ev.Player).State != Open:
		return ErrTaken
	}
	*t.seat(ev.Player) = seat{Seat: Seat{Taken, ev.Holder}, holder: t.from, left: t.now, final: ev.Final}
	return nil
}

// ofSeat handles [Leave], [Present], [Absent] and [Reachable].
func (t *step) ofSeat(ev Event) error {
	s := t.own()
	if s == nil {
		return ErrNoSeat
	}
	switch ev := ev.(type) {
	case Leave:
		*s = seat{}
		t.failed, t.failedAt = ev.Why, t.record.Game
	case Present:
		s.streams++
		s.State = Taken
	case Absent:
		s.left = t.now
		if s.streams--; s.streams == 0 {
			s.State = Away
		}
	case Reachable:
		s.State = Away
		if ev.Is {
			s.State = Taken
		}
	}
	return nil
}

// emptySeats opens the seats when the match ends. The holders' names stay until the next match.
func (t *step) emptySeats() {
	for i := range t.seats {
		t.seats[i] = seat{Seat: Seat{Holder: t.seats[i].Holder}}
	}
}

// openSeats opens the seats whose holders have had no stream for seatTime.
func (t *step) openSeats() {
	for i := range t.seats {
		if due, ok := t.seats[i].due(); ok && !t.now.Before(due) {
			t.seats[i] = seat{}
		}
	}
}

// due returns when the seat opens, unless its holder opens a stream before that.
func (s *seat) due() (time.Time, bool) {
	return s.left.Add(seatTime), s.State != Open && s.streams == 0
}

// refuseSeat refuses a key because of a seat. The LEDs blink only for a key of this machine: a
// client's key was not pressed at the HAT.
func (t *step) refuseSeat(kind NoticeKind) {
	t.refuse(ErrNotYours)
	if n := (Notice{Kind: kind}); t.from.Kind == Panel {
		t.blink(n)
	} else {
		t.note(n)
	}
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

func (w *windows) begin(from Source, now time.Time) { *w.place(from) = window{from, now} }

// forget ends the window of a source.
func (w *windows) forget(from Source) {
	if p := w.place(from); p.from == from {
		*p = window{}
	}
}

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
