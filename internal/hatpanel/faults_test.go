package hatpanel

import (
	"context"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/session"
)

// A signal that interrupts a write or a read loses no frame and no press, and logs
// nothing.
func TestInterruptedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		log, _ := onHAT(t, h, session.Options{}, func(_ context.CancelFunc, other *gametest.Panel) {
			for range 3 {
				h.FailWrites(5, syscall.EINTR)
				h.FailReads(5, syscall.EINTR) // the first read fails while Next waits
				before := other.Last().Cursor
				h.Tap(hat.Right)
				same(t, h, other)
				if v := other.Last(); v.Cursor != before+1 {
					t.Errorf("the cursor is on %d, it was on %d", v.Cursor, before)
				}
			}
			h.FailReads(1, syscall.EINTR)
			h.Tap(hat.Middle)
			h.FailWrites(100, syscall.EINTR)
			for range 30 {
				sleep(10 * time.Millisecond)
				same(t, h, other)
			}
			if v := other.Last(); v.Game.String() != "7" {
				t.Errorf("after %q", v.Game.String())
			}
		})
		if strings.Count(log, "\n") != 2 { // one line for the matrix, one for the joystick
			t.Errorf("logged:\n%s", log)
		}
	})
}

// The kernel drops events while a key is held: the key counts as released, and a press in
// the rest of a torn packet is ignored.
func TestLostEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		onHAT(t, h, session.Options{}, func(_ context.CancelFunc, other *gametest.Panel) {
			repeat := func() {
				for range 5 {
					sleep(holdEvery)
					h.Hold(hat.Left)
				}
				same(t, h, other)
			}
			h.Press(hat.Left)
			repeat()
			if v := other.Last(); v.Cursor != 0 {
				t.Fatalf("the key does not repeat: the cursor is on %d", v.Cursor)
			}
			h.Release(hat.Left)
			h.Tap(hat.Right, hat.Right, hat.Right)
			h.Press(hat.Left)
			synctest.Wait()
			h.Overflow()
			repeat()
			if v := other.Last(); v.Cursor != 2 || v.Phase != game.Aim || v.Game.String() != "" {
				t.Errorf("%v, the cursor on %d after %q", v.Phase, v.Cursor, v.Game.String())
			}
			h.Press(hat.Left) // a new press is accepted
			repeat()
			if v := other.Last(); v.Cursor != 0 {
				t.Errorf("the cursor is on %d", v.Cursor)
			}
		})
	})
}

// A key that was held when the joystick was unplugged is not held after it is back.
func TestUnplugWhileHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		onHAT(t, h, session.Options{}, func(_ context.CancelFunc, other *gametest.Panel) {
			h.Press(hat.Left)
			synctest.Wait()
			h.UnplugJoystick()
			sleep(time.Second)
			other.Press(game.Press{Key: game.Left, Action: game.Held}) // from another panel
			h.PlugJoystick()
			sleep(time.Second)
			h.Hold(hat.Left) // the key was pressed before the joystick was opened again
			h.Release(hat.Left)
			same(t, h, other)
			if v := other.Last(); v.Cursor != 2 {
				t.Errorf("the cursor is on %d", v.Cursor)
			}
			h.Tap(hat.Left)
			same(t, h, other)
			if v := other.Last(); v.Cursor != 1 {
				t.Errorf("then on %d", v.Cursor)
			}
		})
	})
}

// The test unplugs the matrix, or makes a write fail or stop short, at every moment of a fall and
// of the cheer after it. The game's clock continues, and the later pictures are shown.
func TestFailuresInMotion(t *testing.T) {
	faults := map[string]func(h *hattest.HAT) (mended func()){
		"ENODEV": func(h *hattest.HAT) func() { h.UnplugMatrix(); return h.PlugMatrix },
		"ENOSPC": func(h *hattest.HAT) func() {
			h.FailWrites(-1, syscall.ENOSPC)
			return func() { h.FailWrites(0, nil) }
		},
		"EIO":   func(h *hattest.HAT) func() { h.FailWrites(-1, syscall.EIO); return func() { h.FailWrites(0, nil) } },
		"short": func(h *hattest.HAT) func() { h.ShortWrites(1000); return func() { h.ShortWrites(0) } },
		"stuck": func(h *hattest.HAT) func() { return h.BlockWrites() },
		"loose": func(h *hattest.HAT) func() { h.Reseat(); return h.Reseat },
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			for at := 10 * time.Millisecond; at < 2*time.Second; at += 90 * time.Millisecond {
				synctest.Test(t, func(t *testing.T) {
					h := hattest.New()
					log, _ := onHAT(t, h, session.Options{Every: 5 * time.Second}, func(_ context.CancelFunc, other *gametest.Panel) {
						for _, col := range []int{0, 1, 0, 1, 0, 1} {
							other.Press(game.Column{Col: col})
							sleep(time.Second)
						}
						other.Press(game.Column{Col: 0}) // red wins
						began := time.Now()
						sleep(at)
						mended := fault(h)
						sleep(200 * time.Millisecond)
						mended()
						for other.Last().Phase != game.Score {
							sleep(time.Millisecond)
						}
						want := max(250*time.Millisecond+1500*time.Millisecond, at+200*time.Millisecond)
						if took := time.Since(began); took != want {
							t.Errorf("at %v: the points come after %v, want %v", at, took, want)
						}
						sleep(15 * time.Second) // for a call of Alive, and for a retry of the device
						same(t, h, other)
					})
					if n := strings.Count(log, "level=WARN"); n > 4 {
						t.Errorf("%d warnings:\n%s", n, log)
					}
				})
			}
		})
	}
}

// While a write hangs, the game answers remote clients, and its clock and the calls of Alive
// continue: restarting the program would not help a stuck kernel. When the write returns, the
// latest picture is shown.
func TestStuckWriteWhileServing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		var alive atomic.Int32
		o := session.Options{Alive: func() { alive.Add(1) }, Every: 5 * time.Second}
		onHAT(t, h, o, func(_ context.CancelFunc, other *gametest.Panel) {
			release := h.BlockWrites()
			h.Tap(hat.Left) // the write of its frame hangs
			synctest.Wait()
			for col, want := range []string{"1", "12", "123"} {
				other.Press(game.Column{Col: col})
				synctest.Wait()
				if v := other.Last(); v.Game.String() != want {
					t.Errorf("%q", v.Game.String())
				}
				h.Tap(hat.Right) // the joystick still works
				sleep(10 * time.Second)
				if v := other.Last(); v.Phase != game.Aim || v.Cursor != 4 {
					t.Errorf("%v, the cursor on %d", v.Phase, v.Cursor)
				}
			}
			if n := alive.Load(); n != 7 {
				t.Errorf("%d calls of Alive in 30 seconds", n)
			}
			wrote := len(h.Frames())
			release()
			same(t, h, other)
			if n := len(h.Frames()) - wrote; n > 2 {
				t.Errorf("%d frames after the stuck one, want only the latest", n)
			}
		})
	})
}
