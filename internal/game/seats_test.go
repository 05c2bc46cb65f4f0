package game

import (
	"errors"

	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
)

var (
	holdsRed    = Source{Holder, 1}
	holdsYellow = Source{Holder, 2}
	holdsNone   = Source{Holder, 3}
)

// seated returns a match after some moves, with the given seats taken.
func seated(t *testing.T, moves string, seats ...board.Disc) *player {
	t.Helper()
	p := newPlayer(t, scriptConfig(t, "points=1 forever"))
	p.drops(moves)
	for _, d := range seats {
		p.stepFrom(Take{Player: d}, Source{Holder, uint64(d)})
		p.stepFrom(Present{}, Source{Holder, uint64(d)})
	}
	p.after(time.Second)
	p.effects = nil
	return p
}

// refusedWith returns the error of the last refused event.
func (p *player) refusedWith() (err error) {
	for _, e := range p.effects {
		if e, ok := e.(Refused); ok {
			err = e.Err
		}
	}
	p.effects = nil
	return err
}

// The test tries every source, turn and combination of taken seats. If a seat is taken, only its
// holder can drop the disc; otherwise, anybody who holds no seat can. The same rule applies to the
// cursor and to hints. Anybody can take back a disc of an open seat.
func TestSeats(t *testing.T) {
	sources := map[string]Source{
		"joystick": {}, "terminal": {ID: 1}, "client": {Client, 7},
		"red's holder": holdsRed, "yellow's holder": holdsYellow, "a lost token": holdsNone,
	}
	for name, from := range sources {
		for _, moves := range []string{"44", "445"} {
			for _, seats := range [][]board.Disc{nil, {board.Red}, {board.Yellow}, {board.Red, board.Yellow}} {
				taken := map[board.Disc]bool{}
				for _, d := range seats {
					taken[d] = true
				}
				plays := func(d board.Disc) bool {
					switch {
					case d == board.Red && taken[d]:
						return name == "red's holder"
					case taken[d]:
						return name == "yellow's holder"
					}
					return from.Kind != Holder
				}
				lost := from.Kind == Holder && !taken[board.Disc(from.ID)] // no key does anything
				turn := board.Red
				if moves == "445" {
					turn = board.Yellow
				}
				last := turn.Other()
				try := func(what string, ev Event, want bool, happened func(before, after *Game) bool) {
					t.Helper()
					p := seated(t, moves, seats...)
					before := *p.state
					p.stepFrom(ev, from)
					if got := happened(&before, p.state); got != want {
						t.Errorf("%s, %v to move, %v taken: %s: %v, want %v", name, turn, seats, what, got, want)
					}
					err := p.refusedWith()
					blinks, _ := p.state.refused.shows(&picture{now: p.now})
					key := what != "left" && what != "right" && what != "point" && what != "pause"
					if (err != nil) != (key && !want || lost) || blinks != (key && !want && from.Kind == Panel) {
						t.Errorf("%s, %v to move, %v taken: %s: %v, blinks: %v", name, turn, seats, what, err, blinks)
					}
					if err != nil && errors.Is(err, ErrNoSeat) != lost {
						t.Errorf("%s, %v to move, %v taken: %s: %v", name, turn, seats, what, err)
					}
				}
				ply := func(s *Game) int { p := s.record.Game.Position(); return p.Ply() }
				dropped := func(b, a *Game) bool { return ply(a) == ply(b)+1 }
				moved := func(b, a *Game) bool { return a.cursor != b.cursor }
				for what, ev := range map[string]Event{"column": Column{2}, "down": Press{Key: Down}, "middle": Press{Key: Middle}} {
					try(what, ev, plays(turn), dropped)
				}
				try("left", Press{Key: Left}, plays(turn), moved)
				try("right", Press{Key: Right}, plays(turn), moved)
				try("point", Point{6}, plays(turn), moved)
				try("hint", Hint, plays(turn), func(_, a *Game) bool { return a.asked != 0 })
				try("undo", Undo, !lost && (!taken[last] || plays(last)), func(b, a *Game) bool { return ply(a) == ply(b)-1 })
				try("pause", Press{Key: Up}, !lost, func(_, a *Game) bool { return a.Phase() == Paused })
			}
		}
	}
}

// Left and right of who is not to move do nothing, and do not stop a held key from repeating. During a fall they
// move the cursor of the next turn.
func TestSeatSteers(t *testing.T) {
	p := seated(t, "4", board.Yellow)
	p.stepFrom(Press{Key: Left}, holdsYellow)
	p.step(Press{Key: Right})
	p.after(200 * time.Millisecond)
	p.stepFrom(Press{Key: Left, Action: Held}, holdsYellow)
	p.step(Press{Key: Right, Action: Held})
	if p.state.cursor != 1 {
		t.Errorf("the holder's cursor is on %d, want 1", p.state.cursor)
	}
	p.stepFrom(Column{0}, holdsYellow)
	p.stepFrom(Press{Key: Left}, holdsYellow)
	p.step(Press{Key: Right})
	p.settle()
	if p.state.Phase() != Aim || p.state.cursor != 4 {
		t.Errorf("%v, the cursor is on %d, want 4", p.state.Phase(), p.state.cursor)
	}
}

// Between two people, only the cursor of a taken seat breathes.
func TestSeatBreathes(t *testing.T) {
	p := seated(t, "4", board.Yellow)
	seen := map[LED]int{}
	for range 40 {
		seen[p.state.View(p.now).Frame[3]]++
		p.after(100 * time.Millisecond)
	}
	if seen[LEDYellow] < 15 || seen[LEDYellow.Dimmed()] < 15 {
		t.Errorf("the cursor: %v", seen)
	}
	p.stepFrom(Column{0}, holdsYellow)
	p.settle()
	p.after(5 * time.Second)
	if next, ok := p.state.Next(p.now); ok {
		t.Errorf("an open seat's turn: something is due in %v", next.Sub(p.now))
	}
}

// A seat opens 30 seconds after its holder's last stream has ended, unless the holder opens another
// stream. It also opens when the holder leaves or the match ends, and at no other time.
func TestSeatOpens(t *testing.T) {
	p := newPlayer(t, scriptConfig(t, "points=1 forever idle=10s"))
	is := func(want SeatState, when string) {
		t.Helper()
		if got := p.state.View(p.now).Seats[1].State; got != want {
			t.Fatalf("%s: yellow's seat is %v, want %v", when, got, want)
		}
	}
	take := func(from Source, want error) {
		t.Helper()
		p.stepFrom(Take{Player: board.Yellow}, from)
		if err := p.refusedWith(); !errors.Is(err, want) {
			t.Fatalf("take: %v, want %v", err, want)
		}
	}
	take(holdsYellow, nil)
	p.after(seatTime - 1)
	is(Taken, "without a stream, just before")
	take(holdsNone, ErrTaken)
	p.after(1)
	is(Open, "without a stream")
	if p.state.Phase() != Dark {
		t.Errorf("the phase is %v", p.state.Phase())
	}
	p.stepFrom(Present{}, holdsYellow)
	if err := p.refusedWith(); !errors.Is(err, ErrNoSeat) {
		t.Errorf("a stream of a lost seat: %v", err)
	}

	take(holdsYellow, nil) // while the screen is dark
	p.stepFrom(Present{}, holdsYellow)
	p.stepFrom(Present{}, holdsYellow)
	p.after(time.Hour)
	is(Taken, "two streams")
	p.stepFrom(Absent{}, holdsYellow)
	p.after(time.Hour)
	is(Taken, "one stream")
	p.stepFrom(Absent{}, holdsYellow)
	p.after(seatTime - 1)
	p.stepFrom(Present{}, holdsYellow)
	p.after(time.Hour)
	is(Taken, "it returned")
	p.stepFrom(Leave{}, holdsYellow)
	is(Open, "given back")
	p.stepFrom(Absent{}, holdsYellow) // the stream ends later
	p.effects = nil
	take(holdsRed, nil)
	p.stepFrom(Absent{}, holdsYellow)
	p.effects = nil
	p.after(seatTime - 1)
	is(Taken, "another holder, whose time is its own")

	p.step(Press{Key: Up}) // wakes
	p.step(Press{Key: Up})
	p.step(Press{Key: Up})
	p.after(dropWindow)
	p.step(Press{Key: Middle})
	if p.state.Phase() != Menu {
		t.Fatalf("the joystick's end: %v", p.state.Phase())
	}
	is(Open, "ended")
	take(holdsYellow, ErrNoMatch)
	p.after(dropWindow)
	p.step(Press{Key: Middle})
	is(Open, "the next match")
	take(holdsYellow, nil)
	p.resume()
	is(Open, "after a restart")

	p.stepFrom(Start{Setup: p.state.config.Setup, Force: true, Take: Take{Player: board.Yellow}}, holdsYellow)
	is(Taken, "taken with the match")
	p.drops("1")
	for _, col := range []int{1, 0, 1, 0, 1, 0} {
		from := Source{}
		if col == 1 {
			from = holdsYellow
		}
		p.after(dropWindow)
		p.stepFrom(Column{col}, from)
		p.settle()
	}
	if p.state.Phase() != Cheer {
		t.Fatalf("%v", p.state.Phase())
	}
	is(Open, "the match is won")
}

// The computer's seat cannot be taken, and in its turn nobody can drop a disc.
func TestSeatComputer(t *testing.T) {
	p := newPlayer(t, scriptConfig(t, "points=1 forever computer=yellow level=1"))
	p.stepFrom(Take{Player: board.Yellow}, holdsYellow)
	if err := p.refusedWith(); !errors.Is(err, ErrComputers) {
		t.Error(err)
	}
	setup := p.state.record.Setup()
	p.stepFrom(Start{Setup: setup, Force: true, Take: Take{Player: board.Yellow}}, holdsYellow)
	if err := p.refusedWith(); !errors.Is(err, ErrComputers) || p.state.record.ID != "run-1" {
		t.Errorf("%v, match %s", err, p.state.record.ID)
	}
	p.stepFrom(Take{Player: board.Red}, holdsRed)
	p.stepFrom(Column{3}, holdsRed)
	p.after(time.Second)
	if p.state.Phase() != Thinking {
		t.Fatal(p.state.Phase())
	}
	p.effects = nil
	p.stepFrom(Column{3}, holdsRed)
	if err := p.refusedWith(); !errors.Is(err, ErrNotYours) {
		t.Error(err)
	}
	p.step(Undo)
	if err := p.refusedWith(); !errors.Is(err, ErrNotYours) || p.state.Phase() != Thinking {
		t.Errorf("undo by the joystick: %v, %v", err, p.state.Phase())
	}
	p.stepFrom(Undo, holdsRed)
	if err := p.refusedWith(); err != nil || p.state.Phase() != Aim {
		t.Errorf("undo by the holder: %v, %v", err, p.state.Phase())
	}
}

// A disc with a number falls once, however often it is asked for. It falls only in its player's
// turn, and only if it is the next disc of the match.
func TestDiscNumber(t *testing.T) {
	p := seated(t, "445", board.Yellow)
	ask := func(n int, want error) {
		t.Helper()
		p.stepFrom(Disc{2, n}, holdsYellow)
		if err := p.refusedWith(); !errors.Is(err, want) {
			t.Fatalf("disc %d in %v: %v, want %v", n, p.state.Phase(), err, want)
		}
	}
	ask(3, ErrNotNow)
	ask(5, ErrNotNow)
	p.step(Pause)
	ask(4, ErrNotNow)
	p.step(Pause)
	p.step(Disc{2, 4})
	if err := p.refusedWith(); !errors.Is(err, ErrNotYours) {
		t.Fatal(err)
	}
	ask(4, nil)
	ask(4, ErrNotNow)
	ask(5, ErrNotNow) // while the disc is falling
	p.settle()
	p.after(time.Second)
	ask(4, ErrNotNow)
	ask(5, ErrNotYours)
	p.step(Disc{2, 5})
	p.settle()
	p.after(time.Second)
	if got := p.state.record.Game.String(); got != "44533" || p.state.record.Discs() != 5 {
		t.Errorf("after %s: %d discs", got, p.state.record.Discs())
	}
	p.step(End{})
	ask(6, ErrNoSeat)
	p.step(Disc{2, 6})
	if err := p.refusedWith(); !errors.Is(err, ErrNoMatch) {
		t.Fatal(err)
	}
}

// A numbered disc is no second tap, however soon it follows a drop key, and it needs no key to close
// a hint. An undo closes a hint too.
func TestDiscAtOnce(t *testing.T) {
	p := newPlayer(t, Config{Setup: Setup{Rules: board.Standard, Points: 2}})
	hint := func() {
		p.step(Hint)
		p.step(Answered{ID: p.state.asked})
		if p.state.Phase() != Hinting {
			t.Fatal(p.state.Phase())
		}
	}
	hint()
	p.step(Disc{3, 1})
	p.settle()
	p.step(Press{Key: Middle})
	p.step(Disc{2, 2})
	if got := p.state.record.Game.String(); got != "43" {
		t.Errorf("played %s", got)
	}
	p.settle()
	p.after(time.Second)
	hint()
	p.step(Undo)
	if got := p.state.record.Game.String(); got != "4" {
		t.Errorf("played %s after an undo", got)
	}
}

// A lost seat's token plays nothing: it starts no match from the menu, and ends no demo.
func TestStaleToken(t *testing.T) {
	for _, lose := range []func(p *player){
		func(p *player) { p.stepFrom(Leave{}, holdsYellow) },
		func(p *player) { p.step(End{}) },
		func(p *player) { p.step(End{}); p.after(2 * time.Minute) }, // the demo
	} {
		p := seated(t, "4", board.Yellow)
		lose(p)
		before := p.state.View(p.now)
		for _, ev := range []Event{Press{Key: Middle}, Column{2}, Disc{2, 2}, Point{2}, Undo, Hint, Pause} {
			p.stepFrom(ev, holdsYellow)
			if err := p.refusedWith(); !errors.Is(err, ErrNoSeat) || p.state.View(p.now) != before {
				t.Errorf("%#v in %v: %v, then %v", ev, before.Phase, err, p.state.Phase())
			}
		}
	}
}

// Players who are away are shown beside the board or, if there is no room, by a dimmed cursor.
func TestSeatAway(t *testing.T) {
	for _, size := range []string{"7x6", "8x7"} {
		p := newPlayer(t, scriptConfig(t, "forever board="+size))
		p.drops("4")
		p.stepFrom(Take{Player: board.Yellow}, holdsYellow)
		p.stepFrom(Present{}, holdsYellow)
		marked := func() bool {
			f := p.state.View(p.now).Frame
			if size == "7x6" {
				return f[8*3+7] == LEDPlain
			}
			return f[3] == LEDYellow.Dimmed()
		}
		is := func(want SeatState) {
			t.Helper()
			if got := p.state.View(p.now).Seats[1].State; got != want || marked() != (want == Away) {
				t.Errorf("%s: the seat is %v, want %v; marked: %v", size, got, want, marked())
			}
		}
		is(Taken)
		p.stepFrom(Absent{}, holdsYellow)
		is(Away)
		p.stepFrom(Present{}, holdsYellow)
		is(Taken)
		p.stepFrom(Present{}, holdsRed)
		if err := p.refusedWith(); !errors.Is(err, ErrNoSeat) {
			t.Error(err)
		}
	}
}

// A match that ends before its first disc, while another waits in the menu, leaves no seat taken.
func TestSeatsOfNone(t *testing.T) {
	p := newPlayer(t, scriptConfig(t, "menu forever parked=443"))
	p.stepFrom(Start{Setup: p.state.config.Setup, Take: Take{Player: board.Red}}, holdsRed)
	p.step(End{})
	if got := p.state.View(p.now).Seats[0].State; got != Open || p.state.Phase() != Menu {
		t.Errorf("red's seat is %v in %v", got, p.state.Phase())
	}
}
