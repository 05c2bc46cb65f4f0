package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
)

// Seat says who may drop a player's discs. A seat is never saved: after a restart it is open.
type Seat struct {
	State  SeatState
	Holder string // the name of the program that holds the seat, also after the match; empty for a person
}

// SeatState says who may drop the discs of a seat's player.
type SeatState uint8

// The states of a seat.
const (
	Open  SeatState = iota // anybody who holds no seat may drop them
	Taken                  // only its holder may
	Away                   // only its holder may, but it is not connected
)

// seatTime is how long a seat stays taken while its holder has no stream of events open.
const seatTime = 30 * time.Second

// Take takes a seat of the match under way for the event's source, which must be a [Holder]. It may
// be [Refused].
type Take struct {
	Player board.Disc
	Final  bool   // no disc can be taken back while the seat is taken: its holder has a copy of the match elsewhere
	Holder string // see [Seat]
}

// Leave opens the seat of the event's source. If the program that holds the seat has failed, Why
// says why. It may be [Refused].
type Leave struct{ Why string }

// Present says that the source has opened a stream of events. While a stream is open, the source's
// seat stays taken. It may be [Refused].
type Present struct{}

// Absent says that the source has closed a stream of events. If no other stream of the source is
// open, its seat is [Away].
type Absent struct{}

// Reachable says whether the source, or the player behind it, can be reached.
type Reachable struct{ Is bool }

type seat struct {
	Seat
	holder  Source    // the zero value if it is open
	streams int       // the number of streams of events that the holder has open
	left    time.Time // when the holder took the seat or last closed a stream
	final   bool      // see [Take]
}

func (s *State) seat(player board.Disc) *seat { return &s.seats[player-board.Red] }

// own returns the seat of the event's source, or nil.
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
	case Press, Column, Disc, Point, Command:
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
	t.notice = Notice{Kind: kind}
	if t.from.Kind == Panel {
		t.blink(t.notice)
	}
}
