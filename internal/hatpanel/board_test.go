package hatpanel

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/session"
)

// onBoard runs a game on a board without kernel drivers, and in parallel on the
// framebuffer of a HAT.
func onBoard(t *testing.T, b *hattest.Board, test func(h *hattest.HAT, other *gametest.Panel)) (logged string) {
	t.Helper()
	var log bytes.Buffer
	direct := NewOf(b, nil, nil, nil, slog.New(slog.NewTextHandler(&log, nil)))
	h := hattest.New()
	defer direct.Close()
	onHAT(t, h, session.Options{Panels: []session.Panel{direct}}, func(other *gametest.Panel) { test(h, other) })
	return log.String()
}

// alike checks that the board's LEDs show the same as with the kernel's driver.
func alike(t *testing.T, b *hattest.Board, h *hattest.HAT) {
	t.Helper()
	if got, want := b.LEDs(), ledsOf(h); got != want {
		t.Fatalf("the LEDs have\n% x\nwant\n% x", got, want)
	}
}

func ledsOf(h *hattest.HAT) (leds [192]byte) { return registers(standin.Lit(h.Frame())) }

func registers(l standin.LEDs) (leds [192]byte) {
	for i := range leds {
		leds[i] = l[i/24][i/8%3][i%8]
	}
	return leds
}

// tap presses and releases a key.
func tap(b *hattest.Board, k hat.Key) {
	b.Press(k)
	sleep(60 * time.Millisecond)
	b.Release(k)
	sleep(60 * time.Millisecond)
}

// plays plays a match of two rounds with the joystick, and calls look for every frame.
func plays(b *hattest.Board, settle time.Duration, look func()) {
	for round := range 2 {
		for i, col := range []int{3, 4, 3, 4, 3, 4, 3} {
			if round == 1 && i == 0 {
				sleep(10 * time.Second) // until the end of the first round has been shown
			}
			for ; col > 3; col-- {
				tap(b, hat.Right)
			}
			look()
			tap(b, hat.Middle)
			for range 8 {
				sleep(settle)
				look()
			}
			sleep(500 * time.Millisecond)
		}
	}
}

// A whole match shows the same LEDs through the framebuffer and over the bus.
func TestI2CMatchesFramebuffer(t *testing.T) {
	for _, polled := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := hattest.NewBoard()
			b.Polled = polled
			onBoard(t, b, func(h *hattest.HAT, other *gametest.Panel) {
				plays(b, 30*time.Millisecond, func() {
					synctest.Wait()
					alike(t, b, h)
				})
				if v := other.Last(); v.Match.Winner() != board.Red {
					t.Errorf("%v has won: %v", v.Match.Winner(), v.Phase)
				}
				frames := h.Frames()
				var want [][192]byte
				for _, f := range frames {
					want = append(want, registers(standin.Lit(f)))
				}
				if got := b.Frames(); !slices.Equal(slices.Compact(got), slices.Compact(want)) {
					t.Errorf("%d frames over the bus, %d on the framebuffer", len(got), len(want))
				}
			})
			if b.LEDs() != ([192]byte{}) || b.Handles() != 0 {
				t.Errorf("after the end % x, %d handles", b.LEDs(), b.Handles())
			}
		})
	}
}

// A board that is unplugged during a match and plugged back in shows the current game.
func TestI2CUnplug(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := hattest.NewBoard()
		log := onBoard(t, b, func(h *hattest.HAT, other *gametest.Panel) {
			b.Unplug()
			other.Press(game.Press{Key: game.Left})
			sleep(time.Minute)
			b.Plug()
			sleep(5 * time.Second)
			alike(t, b, h)
			tap(b, hat.Left)
			alike(t, b, h)
			if v := other.Last(); v.Cursor != 1 {
				t.Errorf("the cursor is on %d", v.Cursor)
			}
		})
		if strings.Count(log, "the matrix is there") != 2 || strings.Count(log, "the joystick is there") != 2 {
			t.Errorf("logged:\n%s", log)
		}
	})
}
