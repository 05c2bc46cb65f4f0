package game

import (
	"errors"
	"time"

	"github.com/c4hat/c4hat/board"
)

// Seat says who may drop a player's discs.
type Seat uint8

// The seats' states. A seat is never saved: after a restart it is open.
const (
	Open    Seat = iota // anybody who holds no seat may drop them
	Taken               // only its holder may
	Away                // only its holder may, but it is not connected
	Program             // only a program that this process runs may; never set by the game itself
)

// Holder is the first source that can hold a seat. Each taken seat has its own source, whichever
// connection its holder uses.
const Holder Source = 3 << 30

// seatTime is how long a seat stays taken while its holder has no stream of events open.
const seatTime = 30 * time.Second

// Errors that say why an event about a seat is refused, or a key that only a seat's holder may
// press.
var (
	ErrTaken     = errors.New("the seat is taken")
	ErrComputers = errors.New("the seat is the computer's")
	ErrNoSeat    = errors.New("the token holds no seat in this match")
	ErrNotYours  = errors.New("another client plays this side")
	ErrNotNow    = errors.New("the disc is not due")
)

// Take takes a seat of the match under way for the event's source, which must be [Holder] or above.
// While a taken seat is Final, no disc can be taken back, because the holder has a copy of the
// match elsewhere. It may be [Refused].
type Take struct {
	Player board.Disc
	Final  bool
}

// Leave opens the seat of the event's source. It may be [Refused].
type Leave struct{}

// Present says that the source has opened a stream of events. While a stream is open, the source's
// seat stays taken. It may be [Refused].
type Present struct{}

// Absent says that the source has closed a stream of events. If no other stream of the source is
// open, its seat is [Away].
type Absent struct{}

// Reachable says whether the source, or the player behind it, can be reached.
type Reachable struct{ Is bool }

type seat struct {
	state   Seat      // Open, Taken or Away
	holder  Source    // 0 if it is open
	streams int       // the number of streams of events that the holder has open
	left    time.Time // when the holder took the seat or last closed a stream
	final   bool      // see [Take]
}

func (s *State) seat(player board.Disc) *seat { return &s.seats[player-board.Red] }

// own returns the seat of the event's source, or nil.
func (t *step) own() *seat {
	for i := range t.seats {
		if t.from >= Holder && t.seats[i].holder == t.from {
			return &t.seats[i]
		}
	}
	return nil
}

// barred reports whether a source may not play a player's discs. The holder of a seat may
// play only the discs of that seat; everybody else, only those of open seats.
func (s *State) barred(from Source, player board.Disc) bool {
	if from < Holder {
		from = 0
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
	case t.seat(ev.Player).holder != 0:
		return ErrTaken
	}
	*t.seat(ev.Player) = seat{state: Taken, holder: t.from, left: t.now, final: ev.Final}
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
	case Present:
		s.streams++
		s.state = Taken
	case Absent:
		s.left = t.now
		if s.streams--; s.streams == 0 {
			s.state = Away
		}
	case Reachable:
		s.state = Away
		if ev.Is {
			s.state = Taken
		}
	}
	return nil
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
	return s.left.Add(seatTime), s.holder != 0 && s.streams == 0
}

// refuseSeat refuses a key because of a seat. The LEDs blink only for a key of this machine: a
// client's key was not pressed at the HAT.
func (t *step) refuseSeat(kind NoticeKind) {
	err := ErrNotYours
	if t.from >= Holder && t.own() == nil {
		err = ErrNoSeat
	}
	t.refuse(err)
	t.notice = Notice{Kind: kind}
	if t.from < Remote {
		t.blink(t.notice)
	}
}
