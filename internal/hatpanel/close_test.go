package hatpanel

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/session"
)

// A write that hangs delays neither the game nor the program's exit.
func TestStuckWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		var ending time.Time
		var release func()
		log, _ := onHAT(t, h, session.Options{}, func(_ context.CancelFunc, other *gametest.Panel) {
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
		log, _ := onHAT(t, h, session.Options{}, func(_ context.CancelFunc, other *gametest.Panel) {
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
