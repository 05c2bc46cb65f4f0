package hatpanel

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
)

func ledsOf(h *hattest.HAT) (leds [192]byte) { return registers(standin.Lit(h.Frame())) }

func registers(l standin.LEDs) (leds [192]byte) {
	for i := range leds {
		leds[i] = l[i/24][i/8%3][i%8]
	}
	return leds
}

// A whole match, played with the board's keys, shows the same LEDs through the framebuffer and over the
// bus. While one transfer in ten fails, no press of 40 ms is lost, and no wrong picture stays for 50 ms.
// A board that is taken off and put back goes on.
func TestBoard(t *testing.T) {
	for _, failing := range []int{0, 10} {
		synctest.Test(t, func(t *testing.T) {
			h, b := hattest.New(), hattest.NewBoard()
			var log gametest.Log
			direct := newFront(b.I2C(), Look{}, &log)
			f := newFront(h, Look{}, &log)
			synctest.Wait() // until both show the hourglass
			play(t, f, game.Config{}, func(other *gametest.Panel) {
				b.FailEvery(failing)
				alike := func() {
					t.Helper()
					for range 49 { // wrong ones are repaired
						if b.LEDs() == ledsOf(h) {
							return
						}
						sleep(time.Millisecond)
					}
					t.Fatalf("the LEDs have\n% x\nwant\n% x", b.LEDs(), ledsOf(h))
				}
				tap := func(k hat.Key) {
					b.Press(k)
					sleep(40 * time.Millisecond)
					b.Release(k)
					sleep(60 * time.Millisecond)
					alike()
				}
				for round := range 2 {
					for i, col := range []int{3, 4, 3, 4, 3, 4, 3} {
						if round == 1 && i == 0 {
							sleep(10 * time.Second) // until the end of the first round has been shown
						}
						if round == 1 && i == 2 {
							b.Unplug()
							sleep(time.Minute)
							b.Plug()
							sleep(2 * time.Second)
							alike()
						}
						for ; col > 3; col-- {
							tap(hat.Right)
						}
						tap(hat.Middle)
						sleep(time.Second)
						alike()
					}
				}
				if v := other.Last(); v.Match.Winner() != board.Red {
					t.Errorf("%v has won: %v", v.Match.Winner(), v.Phase)
				}
				b.FailEvery(0)
			}, direct)
			direct.Close()
			if b.LEDs() != ([192]byte{}) || b.Handles() != 0 {
				t.Errorf("after the end % x, %d handles", b.LEDs(), b.Handles())
			}
			var want [][192]byte
			for _, f := range h.Frames() {
				want = append(want, registers(standin.Lit(f)))
			}
			for _, leds := range slices.Compact(b.Frames()) {
				if !slices.Contains(want, leds) {
					t.Errorf("over the bus only:\n% x", leds)
				}
			}
		})
	}
}
