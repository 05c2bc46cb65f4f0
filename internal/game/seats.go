package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
)

// seatTime is how long a seat stays taken while its holder has no stream of events open.
const seatTime = 30 * time.Second

type seat struct {
	Seat
	holder  Source    // the zero value if it is open
	streams int       // the number of streams of events that the holder has open
	opens   time.Time // unless its holder opens a stream before that; zero: never
}

func (g *Game) seat(player board.Disc) *seat { return &g.seats[player-board.Red] }

func (g *Game) own() *seat {
	for i := range g.seats {
		if g.from.Kind == Holder && g.seats[i].holder == g.from {
			return &g.seats[i]
		}
	}
	return nil
}

// stale reports whether an event is a key of a source that has lost its seat. Such a key does nothing:
// it was meant for another match.
func (g *Game) stale(ev Event) bool {
	switch ev.(type) {
	case Press, Column, Disc, Point, Command, Select, Choose:
		return g.from.Kind == Holder && g.own() == nil
	}
	return false
}

// barred reports whether the source may not play a player's discs. The holder of a seat may
// play only the discs of that seat; everybody else, only those of open seats.
func (g *Game) barred(player board.Disc) bool {
	from := g.from
	if from.Kind != Holder {
		from = Source{}
	}
	return g.seat(player).holder != from
}

// steers reports whether the source may move the cursor of the player to move.
func (g *Game) steers() bool { return !g.computersTurn() && !g.barred(g.toMove()) }

// refusesSeat refuses the drop of a source that may not play the side to move.
func (g *Game) refusesSeat() bool {
	barred := g.barred(g.toMove())
	if barred {
		g.refuseSeat(NoticeTaken)
	}
	return barred
}

// refuseSeat refuses a key because of a seat. The LEDs blink only for a key of this machine: a
// client's key was not pressed at the HAT.
func (g *Game) refuseSeat(kind NoticeKind) {
	g.refuse(ErrNotYours)
	if n := (Notice{Kind: kind}); g.from.Kind == Panel {
		g.blink(n)
	} else {
		g.note(n)
	}
}

func (g *Game) take(ev Take) error {
	switch {
	case !g.playing:
		return ErrNoMatch
	case ev.Player == g.record.Computer:
		return ErrComputers
	case g.seat(ev.Player).State != Open:
		return ErrTaken
	}
	g.failed = ""
	*g.seat(ev.Player) = seat{Seat: Seat{Taken, ev.Holder}, holder: g.from, opens: g.now.Add(seatTime)}
	return nil
}

// ofSeat handles [Leave], [Present] and [Absent].
func (g *Game) ofSeat(ev Event) error {
	s := g.own()
	if s == nil {
		return ErrNoSeat
	}
	switch ev := ev.(type) {
	case Leave:
		*s = seat{}
		g.failed, g.failedAt = ev.Why, g.record.Game
	case Present:
		s.streams++
		s.State, s.opens = Taken, time.Time{}
	case Absent:
		if s.streams--; s.streams == 0 {
			s.State, s.opens = Away, g.now.Add(seatTime)
		}
	}
	return nil
}

// emptySeats opens the seats when the match ends. The holders' names stay until the next match.
func (g *Game) emptySeats() {
	for i := range g.seats {
		g.seats[i] = seat{Seat: Seat{Holder: g.seats[i].Holder}}
	}
}

// openSeats opens the seats whose holders have had no stream for seatTime.
func (g *Game) openSeats() {
	for i := range g.seats {
		if due := g.seats[i].opens; !due.IsZero() && !g.now.Before(due) {
			g.seats[i] = seat{}
		}
	}
}
