package game

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
)

// Mashing the keys drops no unwanted disc. A drop key works only dropWindow after the previous drop
// key, whatever that key did; holds and releases never drop a disc.
func TestMashing(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, size := range []string{"7x6", "8x8", "3x7", "2x8", "8x2"} {
		p := newPlayer(t, scriptConfig(t, "forever points=1 first=loser board="+size))
		p.random = true
		var dropped time.Time // when the last drop key was pressed
		discs := 0
		for range 20000 {
			gap := time.Duration(1+rng.IntN(120)) * time.Millisecond
			if rng.IntN(10) == 0 {
				gap += dropWindow
			}
			p.after(gap)
			var ev Event = Press{Key(1 + rng.IntN(5)), Action(rng.IntN(3))}
			switch rng.IntN(6) {
			case 0:
				ev = Column{rng.IntN(9) - 1}
			case 1:
				ev = Command(rng.IntN(3))
			}
			before := p.state
			shown := p.frame()
			p.step(ev)
			_, fresh := ev.(Column)
			if press, ok := ev.(Press); ok {
				fresh = (press.Key == Down || press.Key == Middle) && press.Action == Pressed
			}
			if p.state.phase == Fall && before.phase != Fall {
				discs++
				if !fresh || before.phase != Aim {
					t.Fatalf("%s: %v in %v dropped a disc", size, ev, before.phase)
				}
				if p.now.Sub(dropped) < dropWindow {
					t.Fatalf("%s: a disc %v after the last key", size, p.now.Sub(dropped))
				}
				if before.record.Game.Position().Rules().Rows < 8 && !before.refused.dark(p.now) && strings.HasPrefix(shown, "........") {
					t.Fatalf("%s: a disc without a cursor\n%s", size, shown)
				}
			}
			if fresh && !refused(before, ev) {
				dropped = p.now
			}
		}
		if discs < 300 {
			t.Errorf("%s: only %d discs dropped: too little was tested", size, discs)
		}
	}
}

// However the keys are mashed, everybody sees how a round has ended: the pictures take their full time,
// and one that waits for a key stays. A key after a short rest ends it, but not as soon as it appears. A
// program's disc is refused.
func TestMashingSkipsNoEnd(t *testing.T) {
	puzzle := "attract forever\npress left\npress left\npress left\npress middle\npress middle\ncomposed 112233 4\ndrops 4"
	for _, c := range []struct {
		game  string
		takes time.Duration // until the next round, the menu or the end of the program; 0: until a key
		key   Phase         // that a key after a rest leads to
	}{
		{"points=2\ndrops 1122334", cheerTime + scoreTime + clearTime, Score},
		{"points=2 board=8x8\ndrops 1122334", cheerTime + scoreTime + clearTime, Score},
		{"points=1 forever\ndrops 1122334", cheerTime + scoreTime + victoryTime + clearTime, Score},
		{"points=1\ndrops " + draw, drawTime, Aim},
		{"points=1 forever waits\ndrops 1122334", 0, Aim},
		{"points=2 waits\ndrops 1122334", 0, Score},
		{"points=1 waits\ndrops " + draw, 0, Aim},
		{puzzle, 0, Score},
	} {
		p := playScene(t, "game "+c.game)
		ended, began := p.now, p.state.phase
		ends := func() bool { return p.state.phase >= Cheer && p.state.phase <= Clear }
		if !ends() {
			t.Fatalf("%s: %v", c.game, began)
		}
		rng := rand.New(rand.NewPCG(3, 9))
		mash := []Event{Column{0}, Column{3}, Press{Key: Middle}, Press{Key: Up}, Press{Key: Down}, Press{Key: Left}, Press{Right, Held}, Undo, Hint}
		for p.now.Sub(ended) < max(c.takes, time.Minute) {
			if gone := p.now.Sub(ended); ends() != (c.takes == 0 || gone < c.takes) || c.takes == 0 && p.state.phase != began {
				t.Fatalf("%s: %v after %v", c.game, p.state.phase, gone)
			} else if !ends() {
				break
			}
			gap := time.Duration(rng.IntN(int(keysRest)))
			if c.takes > 0 {
				gap = min(gap, ended.Add(c.takes).Sub(p.now))
			}
			p.stepFrom(mash[rng.IntN(len(mash))], Source{Client, uint64(rng.IntN(2))})
			p.after(gap)
		}

		for _, rest := range []time.Duration{endShown - 1, endShown} {
			p = playScene(t, "game "+c.game)
			p.after(rest)
			if p.step(Disc{5, p.state.record.Discs() + 1}); p.refusedWith() == nil || p.state.phase != began {
				t.Errorf("%s: a program's disc was not refused in %v", c.game, began)
			}
			p.step(Press{Key: Middle})
			if skips := p.state.phase != began; skips != (rest == endShown) || skips && p.state.phase != c.key {
				t.Errorf("%s: %v by a key after %v", c.game, p.state.phase, rest)
			}
		}
	}
}

// refused reports whether the event is a drop key for a column that takes no disc.
func refused(s State, ev Event) bool {
	col := s.cursor
	if c, ok := ev.(Column); ok {
		col = c.Col
	}
	position := s.record.Game.Position()
	return (s.phase == Aim || s.phase == Fall) && !position.Legal(col)
}

// Clients cannot block the joystick or keep the cursor dark. A quarter of a second after its own
// last drop key, the joystick can drop a disc, even while a client's hint is shown.
func TestClientsBlockNoDrop(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 5))
	for _, size := range []string{"7x6", "8x8", "8x2"} {
		p := newPlayer(t, scriptConfig(t, "forever first=loser board="+size))
		var dropped time.Time // when the joystick's last drop key was pressed
		discs, hints := 0, 0
		for range 40000 {
			p.after(time.Duration(rng.IntN(40)) * time.Millisecond)
			if rng.IntN(8) > 0 { // a client
				ev := []Event{Column{board.MaxSide}, Column{-1}, Column{rng.IntN(9)}, Hint, Hint, Undo, Advised{ID: p.state.asked}, Done{ID: p.state.asked}}[rng.IntN(8)]
				p.stepFrom(ev, Source{Client, uint64(rng.IntN(12))})
				continue
			}
			ev := Press{[]Key{Left, Right, Down, Middle}[rng.IntN(4)], Pressed}
			before := p.state
			ply := func(s State) int { position := s.record.Game.Position(); return position.Ply() }
			aims := before.phase == Aim || before.phase == Hinting && before.asker != (Source{})
			rested := p.now.Sub(dropped) >= dropWindow
			if lit := p.state.View(p.now).Frame[before.cursor] != LEDDark; aims && rested && !lit && before.phase == Aim && !before.sharedTop() && !before.refused.dark(p.now) {
				t.Fatalf("%s: the cursor is dark", size)
			}
			p.step(ev)
			if ev.Key == Down || ev.Key == Middle {
				free := before.record.Game.Position()
				counts := aims && rested && free.Legal(before.cursor)
				if got := p.state.phase == Fall && ply(p.state) == ply(before)+1; got != counts {
					t.Fatalf("%s: %v in %v, %v after the last: a disc is %v, want %v", size, ev, before.phase, p.now.Sub(dropped), got, counts)
				}
				if !refused(before, ev) {
					dropped = p.now
				}
				if counts {
					discs++
					if before.phase == Hinting {
						hints++
					}
				}
			}
		}
		if discs < 200 || hints < 10 {
			t.Errorf("%s: only %d discs, %d in hints: too little was tested", size, discs, hints)
		}
	}
}

// Clients cannot cancel a hint that the joystick asked for, and their own hint keys do not ask for
// another one.
func TestClientsCancelNoHint(t *testing.T) {
	p := newPlayer(t, scriptConfig(t, "opening=444444"))
	p.stepFrom(Hint, Source{})
	asked := p.state.asked
	for i := range 100 {
		p.stepFrom(Column{3}, Source{Client, uint64(i)})
		p.stepFrom(Column{7}, Source{Client, uint64(i)})
		p.stepFrom(Hint, Source{Client, uint64(i)})
	}
	p.step(Advised{ID: asked})
	if p.state.phase != Hinting {
		t.Errorf("%v, want a hint", p.state.phase)
	}
	questions := 0
	for _, e := range p.effects {
		if _, ok := e.(Advise); ok {
			questions++
		}
	}
	if questions != 1 {
		t.Errorf("%d questions", questions)
	}
	p.stepFrom(Press{Key: Down}, Source{})
	if p.state.phase != Aim {
		t.Errorf("%v: a key must only close a hint of the same source", p.state.phase)
	}
}

// Repeated refusals never make the LEDs blink faster than twice a second.
func TestRepeatedRefusals(t *testing.T) {
	for _, gap := range []time.Duration{7, 33, 130, 260, 310, 490, 760} {
		for _, keys := range []string{"press middle", "press middle\npress left\npress right", "undo\npress middle"} {
			p := newPlayer(t, scriptConfig(t, "opening=444444"))
			p.step(Press{Key: Right}) // onto the full column
			wentDark := []time.Time{}
			lines := strings.Split(keys, "\n")
			wasDark := false
			look := func() {
				dark := p.state.View(p.now).Frame[p.state.cursor] == LEDDark
				if dark && !wasDark {
					wentDark = append(wentDark, p.now)
				}
				wasDark = dark
			}
			for i := 0; p.now.Before(start.Add(20 * time.Second)); i++ {
				must(t, p.do(lines[i%len(lines)]))
				look()
				for range gap {
					p.after(time.Millisecond)
					look()
				}
			}
			if len(wentDark) < 5 {
				t.Fatalf("every %v ms %q: nothing blinked", int(gap), keys)
			}
			for i := 1; i < len(wentDark); i++ {
				if d := wentDark[i].Sub(wentDark[i-1]); d < time.Second/3 {
					t.Fatalf("every %d ms %q: dark again after %v", int(gap), keys, d)
				}
			}
		}
	}
}

// Columns that are typed fast are played in order, as if each had been typed in its turn.
func TestTypedInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 4))
	typed := 0
	for range 300 {
		p := newPlayer(t, scriptConfig(t, "points=1"))
		want, err := board.NewGame(board.Standard, board.Red)
		must(t, err)
		last := -1
		for range 42 {
			col := rng.IntN(board.Standard.Columns)
			if position := want.Position(); position.Outcome() != board.Playing || col == last {
				continue
			}
			last = col
			_ = want.Play(col) // a full column is refused
			p.step(Column{col})
			p.after(time.Duration(rng.IntN(50)) * time.Millisecond)
			typed++
		}
		p.after(board.MaxCells * time.Second / 2)
		if got := p.state.record.Rounds()[0]; got != want.String() {
			t.Fatalf("played %s, want %s", got, want)
		}
	}
	if typed < 3000 {
		t.Errorf("only %d columns typed", typed)
	}
}

// Clients that never stop sending columns leave room in the queue for the keys of this machine.
func TestTypedByClients(t *testing.T) {
	p := newPlayer(t, scriptConfig(t, "computer=red level=1"))
	for i := range 1000 {
		p.stepFrom(Column{i % 7}, Source{Client, uint64(i % 5)})
	}
	before := p.state.queue.n
	p.step(Press{Key: Left})
	if p.state.queue.n != before+1 || before != len(p.state.queue.inputs)/2 {
		t.Errorf("%d keys wait after %d of clients", p.state.queue.n, before)
	}
}

// The same column typed twice ahead of a turn is two discs, unless the second comes too soon to be meant.
func TestTypedTwice(t *testing.T) {
	for after, want := range map[time.Duration]int{0: 1, dropWindow / 2: 1, dropWindow: 2} {
		p := newPlayer(t, scriptConfig(t, "computer=red level=1"))
		p.step(Column{0})
		p.now = p.now.Add(after)
		p.step(Column{0})
		if got := p.state.queue.n; got != want {
			t.Errorf("%d discs wait, the second typed after %v; want %d", got, after, want)
		}
	}
}

// If a key from another source makes a queued key take effect, that key still acts for its own
// source.
func TestTypedAheadOfAnother(t *testing.T) {
	p := seated(t, "4", board.Yellow)
	p.stepFrom(Column{0}, holdsYellow)
	p.step(Column{2})
	p.now = p.now.Add(time.Second) // yellow's disc has landed, but no event has reached the game since
	p.stepFrom(Column{5}, holdsYellow)
	if err := p.refusedWith(); err != nil || p.state.phase != Fall {
		t.Fatalf("%v in %v", err, p.state.phase)
	}
	p.settle()
	if got := p.state.record.Game.String(); got != "4136" {
		t.Errorf("played %s, want 4136", got)
	}
}
