package game

import (
	"errors"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
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

// programsSit lets two programs take the seats.
func (p *player) programsSit() {
	p.stepFrom(Take{board.Red, "anna"}, senders["red"])
	p.stepFrom(Take{board.Yellow, "ben"}, senders["yellow"])
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
		"red's holder": senders["red"], "yellow's holder": senders["yellow"], "a lost token": senders["nobody"],
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

// Why a program has failed is shown until another one takes the seat, or another match starts.
func TestFailed(t *testing.T) {
	setup := Setup{Rules: board.Standard, Points: 1}
	for _, next := range []Event{Take{Player: board.Red}, Start{Setup: setup, Force: true}} {
		now, first := time.Unix(0, 0), Source{Kind: Holder, ID: 1}
		g, err := New(Config{Setup: setup}, now)
		must(t, err)
		g.StepFrom(now, Take{Player: board.Red}, first)
		g.StepFrom(now, Leave{Why: "ended"}, first)
		failed := g.View(now).Failed
		g.StepFrom(now, next, Source{Kind: Holder, ID: 2})
		if after := g.View(now).Failed; failed != "ended" || after != "" {
			t.Errorf("%T: %q, then %q", next, failed, after)
		}
	}
}

// A match keeps the name of a program that has left. After a match of programs alone nobody chooses in the menu.
func TestProgramsAlone(t *testing.T) {
	for _, leaves := range []bool{false, true} {
		p := newPlayer(t, scriptConfig(t, "attract forever points=1"))
		p.step(Start{Setup: Setup{Rules: board.Standard, Points: 1}, Seed: 1})
		p.programsSit()
		for i, col := range "1212121" {
			from := senders[[2]string{"red", "yellow"}[i%2]]
			if leaves && i == 5 {
				p.stepFrom(Leave{Why: "ended"}, from)
				from = Source{}
			}
			p.stepFrom(Column{int(col - '1')}, from)
			p.after(time.Second)
		}
		want := map[bool]Phase{false: Attract, true: Menu}[leaves]
		if p.after(10 * time.Second); p.state.Phase() != want || p.state.View(p.now).Programs != [2]string{"anna", "ben"} {
			t.Errorf("leaves: %t: %v, %v", leaves, p.state.Phase(), p.state.last.Programs)
		}
	}
}

// A match of people that is resumed after one of programs remains theirs.
func TestResumedAfterPrograms(t *testing.T) {
	p := newPlayer(t, scriptConfig(t, "attract forever points=1"))
	do := func(lines ...string) {
		for _, line := range lines {
			must(t, p.do(line))
		}
	}
	do("start points=1", "column 4", "after 1s", "pause", "choose end", "start points=1")
	p.programsSit()
	do("pause", "choose end", "choose resume", "after 1s", "column 4")
	if v := p.state.View(p.now); v.Game.String() != "44" || v.Programs != [2]string{} || v.Unattended() {
		t.Errorf("%v, %v, %v", v.Game, v.Programs, v.Seats)
	}
}
