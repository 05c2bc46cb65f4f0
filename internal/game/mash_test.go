package game

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// However somebody mashes the keys, no disc drops that was not asked for: a key
// that drops counts only a while after the last one, whatever those did, and holds
// and releases drop nothing at all.
func TestMashingDropsNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, size := range []string{"7x6", "8x8", "3x7", "2x8", "8x2"} {
		p := newPlayer(t, scriptConfig(t, "forever points=1 first=loser board="+size))
		p.random = true
		var dropped time.Time // the last key that drops
		discs := 0
		for range 20000 {
			gap := time.Duration(1+rng.IntN(120)) * time.Millisecond
			if rng.IntN(10) == 0 {
				gap += dropAgain
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
			press, isPress := ev.(Press)
			fresh := drops(ev) && !(isPress && press.Action != Pressed)
			if p.state.phase == Fall && before.phase != Fall {
				discs++
				if !fresh || before.phase != Aim {
					t.Fatalf("%s: %v in %v dropped a disc", size, ev, before.phase)
				}
				if p.now.Sub(dropped) < dropAgain {
					t.Fatalf("%s: a disc %v after the last key", size, p.now.Sub(dropped))
				}
				if before.game.Position().Rules().Rows < 8 && !before.refused.dark(p.now) && strings.HasPrefix(shown, "........") {
					t.Fatalf("%s: a disc without a cursor\n%s", size, shown)
				}
			}
			if fresh && p.state.notice == (Notice{}) {
				dropped = p.now
			}
		}
		if discs < 300 {
			t.Errorf("%s: only %d discs were dropped: little was tested", size, discs)
		}
	}
}

// Keeping on pressing what is refused never makes anything flash faster than
// twice a second.
func TestRefusalsDoNotFlash(t *testing.T) {
	for _, gap := range []time.Duration{7, 33, 130, 260, 310, 490, 760} {
		for _, keys := range []string{"press middle", "press middle\npress left\npress right", "undo\npress middle"} {
			p := newPlayer(t, scriptConfig(t, "opening=444444"))
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
				if err := p.do(lines[i%len(lines)]); err != nil {
					t.Fatal(err)
				}
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
