package game

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// draw is a round that is a draw.
const draw = "121212212121343434434343565656656565777777"

// However the keys are mashed, a disc drops exactly if somebody presses a drop key in aim, for a column that is
// open, and that is no second tap: in the dropWindow after a disc has landed, or after its drop key has begun a turn,
// the source that dropped last drops nothing. Others do.
func TestMashing(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, size := range []string{"7x6", "8x8", "3x7", "2x8", "8x2"} {
		p := newPlayer(t, scriptConfig(t, "forever points=1 first=loser board="+size))
		p.random = true
		var last tap // of the model
		discs, taps := 0, 0
		for range 20000 {
			gap := time.Duration(1+rng.IntN(120)) * time.Millisecond
			if rng.IntN(10) == 0 {
				gap += dropWindow
			}
			for step := time.Duration(0); gap > 0; gap -= step { // of the longest, a fall can be a part
				landed := time.Time{}
				if fell, falls := p.state.screen.(*fall); falls {
					landed = fell.landing(p.state).rested
				}
				step = min(gap, dropWindow/2)
				p.after(step)
				if _, still := p.state.screen.(*fall); !landed.IsZero() && !still {
					last.at = landed
				}
			}
			var ev Event = Press{Key(1 + rng.IntN(5)), Action(rng.IntN(3))}
			switch rng.IntN(6) {
			case 0:
				ev = Column{rng.IntN(9) - 1}
			case 1:
				ev = pick(rng, Undo, Pause, Back)
			}
			before, from := *p.state, pick(rng, Source{}, Source{ID: 1}, Source{Kind: Client})
			p.stepFrom(ev, from)
			col := before.cursor
			if typed, ok := ev.(Column); ok {
				col = typed.Col
			}
			position := before.position()
			drops := key(ev) && before.Phase() == Aim && position.Legal(col)
			second := drops && from == last.from && p.now.Before(last.at.Add(dropWindow))
			if _, fell := before.screen.(*fall); fell && p.state.screen != before.screen { // the key has ended the fall
				last.at = p.now
			}
			_, falls := p.state.screen.(*fall)
			if got := falls && p.state.screen != before.screen; got != (drops && !second) {
				t.Fatalf("%s: %v from %v in %v, %v after %v: a disc falls: %v", size, ev, from, before.Phase(), p.now.Sub(last.at), last.from, got)
			}
			if second {
				taps++
			}
			if falls && p.state.screen != before.screen {
				discs++
			}
			if key(ev) && p.state.screen != before.screen {
				last = tap{from, p.now}
			}
		}
		if discs < 300 || taps < 30 {
			t.Errorf("%s: only %d discs and %d taps: too little was tested", size, discs, taps)
		}
	}
}

// key reports whether an event is a drop key.
func key(ev Event) bool {
	_, typed := ev.(Column)
	press, _ := ev.(Press)
	return typed || press.Action == Pressed && (press.Key == Down || press.Key == Middle)
}

func pick[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

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
		ended, began := p.now, p.state.Phase()
		ends := func() bool { return p.state.Phase().Ends() }
		if !ends() {
			t.Fatalf("%s: %v", c.game, began)
		}
		rng := rand.New(rand.NewPCG(3, 9))
		mash := []Event{Column{0}, Column{3}, Press{Key: Middle}, Press{Key: Up}, Press{Key: Down}, Press{Key: Left}, Press{Right, Held}, Undo, Hint}
		for p.now.Sub(ended) < max(c.takes, time.Minute) {
			if gone := p.now.Sub(ended); ends() != (c.takes == 0 || gone < c.takes) || c.takes == 0 && p.state.Phase() != began {
				t.Fatalf("%s: %v after %v", c.game, p.state.Phase(), gone)
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
			if p.step(Disc{5, p.state.record.Discs() + 1}); p.refusedWith() == nil || p.state.Phase() != began {
				t.Errorf("%s: a program's disc was not refused in %v", c.game, began)
			}
			p.step(Press{Key: Middle})
			if skips := p.state.Phase() != began; skips != (rest == endShown) || skips && p.state.Phase() != c.key {
				t.Errorf("%s: %v by a key after %v", c.game, p.state.Phase(), rest)
			}
		}
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
