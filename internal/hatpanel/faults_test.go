package hatpanel

import (
	"strings"
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

// A key that was held when the joystick was unplugged is not held after it is back.
func TestUnplugWhileHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		onHAT(t, h, session.Options{}, func(other *gametest.Panel) {
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
					log := onHAT(t, h, session.Options{Every: 5 * time.Second}, func(other *gametest.Panel) {
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

// A write that hangs delays neither the game nor the program's exit.
func TestStuckWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		var ending time.Time
		var release func()
		log := onHAT(t, h, session.Options{}, func(other *gametest.Panel) {
			release = h.BlockWrites()
			h.Tap(hat.Left)
			synctest.Wait()
			h.Tap(hat.Middle)
			sleep(time.Second)
			if v := other.Last(); v.Game.String() != "3" || v.Phase != game.Aim {
				t.Errorf("%v after %s", v.Phase, v.Game.String())
			}
			ending = time.Now()
		})
		if took := time.Since(ending); took > 100*time.Millisecond {
			t.Errorf("the end took %v", took)
		}
		if !strings.Contains(log, "stuck") {
			t.Errorf("logged:\n%s", log)
		}
		release()
	})
}

// A device is deleted while open, and its close never returns, as with the kernel's driver. The
// panel still uses the next device.
func TestStuckClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		var releases []func()
		var ending time.Time
		log := onHAT(t, h, session.Options{}, func(other *gametest.Panel) {
			for range 3 {
				releases = append(releases, h.BlockCloses())
				h.UnplugMatrix()
				h.UnplugJoystick()
				sleep(time.Minute)
				h.PlugMatrix()
				h.PlugJoystick()
				sleep(5 * time.Second)
				same(t, h, other)
				before := other.Last().Cursor
				h.Tap(hat.Left)
				same(t, h, other)
				if v := other.Last(); v.Cursor == before {
					t.Error("the joystick is dead")
				}
			}
			releases = append(releases, h.BlockCloses())
			ending = time.Now()
		})
		if h.Letters() != darkLEDs {
			t.Errorf("after the end\n%s", h.Letters())
		}
		if took := time.Since(ending); took > 2*time.Second {
			t.Errorf("the end took %v", took)
		}
		if strings.Count(log, "the matrix is there") != 4 || strings.Count(log, "the joystick is there") != 4 {
			t.Errorf("logged:\n%s", log)
		}
		for _, release := range releases {
			release()
		}
	})
}
