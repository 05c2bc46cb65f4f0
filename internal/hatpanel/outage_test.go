package hatpanel

import (
	"context"
	"errors"
	"log/slog"
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

// During a turn, the matrix and the joystick are unplugged and plugged in, one after the other.
func TestUnplugAndPlug(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		h.UnplugMatrix()
		h.UnplugJoystick()
		log := onHAT(t, h, session.Options{}, func(other *gametest.Panel) {
			other.Press(game.Press{Key: game.Left})
			h.PlugMatrix()
			same(t, h, other)
			h.PlugJoystick()
			synctest.Wait()
			h.Tap(hat.Left)
			same(t, h, other)
			if v := other.Last(); v.Cursor != 1 {
				t.Errorf("the cursor is on %d", v.Cursor)
			}
			h.Press(hat.Left)
			synctest.Wait()
			h.UnplugJoystick()
			synctest.Wait()
			if v := other.Last(); v.Cursor != 0 {
				t.Errorf("the cursor is on %d", v.Cursor)
			}
			h.UnplugMatrix()
			synctest.Wait()
			other.Press(game.Press{Key: game.Right})
			other.Press(game.Press{Key: game.Right})
			h.PlugJoystick()
			h.PlugMatrix()
			sleep(time.Second)
			same(t, h, other)
			h.Tap(hat.Middle)
			same(t, h, other)
			if v := other.Last(); v.Phase != game.Fall || v.Game.String() != "3" {
				t.Errorf("%v after %s", v.Phase, v.Game.String())
			}
		})
		// The log says of each device that it is missing, there, disconnected and there again.
		if n := strings.Count(log, "\n"); n < 6 || n > 10 {
			t.Errorf("logged:\n%s", log)
		}
	})
}

// A device that repeatedly opens and fails is retried a few times a second, not as fast as
// it can fail, and the log stays short.
func TestRepeatedFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		log := onHAT(t, h, session.Options{}, func(other *gametest.Panel) {
			for range 100 { // each opening's dark frame succeeds, the next frame fails
				h.FailWrites(1, syscall.EIO)
				other.Press(game.Press{Key: game.Left})
				sleep(100 * time.Millisecond)
			}
			h.FailWrites(0, nil)
			other.Press(game.Press{Key: game.Left})
			sleep(5 * time.Second)
			same(t, h, other)
			if n := len(h.Frames()); n > 1000 {
				t.Errorf("%d frames", n)
			}
		})
		if n := strings.Count(log, "level=WARN"); n > 5 {
			t.Errorf("%d warnings:\n%.2000s", n, log)
		}
	})
}

// A matrix that is unplugged and plugged back in while the picture does not change shows it again.
func TestUnplugStillPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		onHAT(t, h, session.Options{}, func(other *gametest.Panel) {
			for range 3 {
				h.UnplugMatrix()
				sleep(time.Minute)
				h.PlugMatrix()
				sleep(time.Second)
				same(t, h, other)
			}
			h.UnplugMatrix()
			sleep(time.Minute)
			other.Press(game.Press{Key: game.Left})
			h.PlugMatrix()
			sleep(time.Second)
			same(t, h, other)
		})
		if h.Letters() != darkLEDs {
			t.Errorf("after the end\n%s", h.Letters())
		}
	})
}

// If a joystick opens but cannot be read, this is logged at most once a minute, and the panel opens
// the joystick less and less often. Once the joystick works, this is logged, and presses arrive.
func TestUnreadableJoystick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &counted{HAT: hattest.New()}
		var log gametest.Log
		panel := NewOf(h, nil, nil, nil, slog.New(slog.NewTextHandler(&log, nil)))
		defer panel.Close()
		h.FailReads(-1, syscall.EIO)
		go panel.Show(game.View{}, false)
		events := make(chan game.Event)
		go func() {
			for {
				ev, err := panel.Next(t.Context())
				if err != nil {
					return
				}
				events <- ev
			}
		}()
		sleep(10 * time.Second)
		lines := func() int {
			return strings.Count(log.String(), "device=\"Sense HAT joy") + strings.Count(log.String(), "waiting for the joy")
		}
		if n := lines(); n != 3 { // it is there, it failed, it is there again
			t.Errorf("%d lines in 10 s:\n%s", n, log.String())
		}
		if n := h.joysticks.Load(); n < 3 || n > 10 {
			t.Errorf("opened %d times in 10 s", n)
		}
		sleep(5 * time.Minute)
		if n := lines(); n > 3+2*5 {
			t.Errorf("%d lines in 5 minutes:\n%s", n, log.String())
		}
		h.FailReads(0, nil)
		sleep(5 * time.Second)
		if !strings.HasSuffix(log.String(), "msg=\"the joystick is there\" device=\"Sense HAT joystick in memory\"\n") {
			t.Errorf("logged:\n%s", log.String())
		}
		h.Press(hat.Left)
		if ev := <-events; ev != (game.Press{Key: game.Left}) {
			t.Error(ev)
		}
		// A joystick that fails after working for a long time is opened again at once.
		sleep(time.Hour)
		h.UnplugJoystick()
		began := time.Now()
		<-events // the release
		if took := time.Since(began); took > 200*time.Millisecond {
			t.Errorf("opened again after %v", took)
		}
		h.PlugJoystick()
		sleep(200 * time.Millisecond)
		h.Press(hat.Right)
		if ev := <-events; ev != (game.Press{Key: game.Right}) {
			t.Error(ev)
		}
	})
}

// counted is a HAT that counts the openings of its joystick.
type counted struct {
	*hattest.HAT
	joysticks atomic.Int32
}

func (c *counted) AwaitJoystick(ctx context.Context, o *hat.Opts, report func(error)) (*hat.Joystick, error) {
	c.joysticks.Add(1)
	return c.HAT.AwaitJoystick(ctx, o, report)
}

// A matrix that worked, and then cannot be opened for a reason that waiting does not cure, is tried
// less and less often until it opens.
func TestMatrixRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &refused{HAT: hattest.New()}
		panel := NewOf(h, nil, nil, nil, slog.New(slog.DiscardHandler))
		defer panel.Close()
		must(t, panel.Show(game.View{}, false))
		h.refuses.Store(true)
		h.UnplugMatrix()
		sleep(time.Minute)
		if n := h.tries.Load(); n < 20 || n > 30 {
			t.Errorf("tried %d times in a minute", n)
		}
		h.refuses.Store(false)
		h.PlugMatrix()
		sleep(maxBackoff)
		if there, _ := panel.Present(); !there {
			t.Error("the matrix is not used again")
		}
	})
}

// refused is a HAT whose matrix can be made to fail in a way that waiting does not cure.
type refused struct {
	*hattest.HAT
	refuses atomic.Bool
	tries   atomic.Int32
}

func (r *refused) AwaitMatrix(ctx context.Context, o *hat.Opts, report func(error)) (*hat.Matrix, error) {
	if r.refuses.Load() {
		r.tries.Add(1)
		return nil, errors.New("another screen")
	}
	return r.HAT.AwaitMatrix(ctx, o, report)
}
