package loop

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
)

// onHAT runs a game on a HAT in memory while the test plays, and gives what was
// logged and what the loop returned.
func onHAT(t *testing.T, h *hattest.HAT, o Options, test func(cancel context.CancelFunc, other *fake)) (logged string, err error) {
	t.Helper()
	var log bytes.Buffer
	panel := NewHATOf(h, nil, nil, nil, slog.New(slog.NewTextHandler(&log, nil)))
	s, err := game.New(game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2}}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	other := newFake()
	o.Panels = append(o.Panels, panel, other)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := Run(ctx, s, o)
		panel.Close()
		done <- err
	}()
	synctest.Wait()
	test(cancel, other)
	cancel()
	err = <-done
	return log.String(), err
}

// same checks that the LEDs show what the other panel was shown.
func same(t *testing.T, h *hattest.HAT, other *fake) {
	t.Helper()
	synctest.Wait()
	if got := lettersOf(other.last()); h.Letters() != got {
		t.Fatalf("the LEDs show\n%swant\n%s", h.Letters(), got)
	}
}

// lettersOf are the LEDs of a view as [hattest.HAT.Letters] draws them.
func lettersOf(v game.View) string {
	f := gametest.Colours(v)
	return hattest.Letters(&f)
}

const darkLEDs = "........\n........\n........\n........\n........\n........\n........\n........\n"

func TestHATPlays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		log, _ := onHAT(t, h, Options{}, func(_ context.CancelFunc, other *fake) {
			same(t, h, other)
			h.Tap(hat.Left)
			same(t, h, other)
			if v := other.last(); v.Cursor != 2 {
				t.Errorf("the cursor is on %d", v.Cursor)
			}
			h.Tap(hat.Middle)
			for range 40 {
				sleep(10 * time.Millisecond)
				same(t, h, other)
			}
			h.Press(hat.Right)
			for range 4 {
				sleep(holdEvery)
				h.Hold(hat.Right)
			}
			h.Release(hat.Right)
			same(t, h, other)
			if v := other.last(); v.Cursor != 6 || v.Game.String() != "3" {
				t.Errorf("the cursor is on %d after %s", v.Cursor, v.Game.String())
			}
			h.Tap(hat.Up)
			same(t, h, other)
			if v := other.last(); v.Phase != game.Paused {
				t.Errorf("up: %v", v.Phase)
			}
			h.Tap(hat.Down)
		})
		if h.Letters() != darkLEDs {
			t.Errorf("left\n%s", h.Letters())
		}
		if strings.Count(log, "\n") != 2 {
			t.Errorf("logged:\n%s", log)
		}
	})
}

const holdEvery = 200 * time.Millisecond

// Matrix and joystick come and go, each by itself, in the middle of a turn.
func TestHATComesAndGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		h.UnplugMatrix()
		h.UnplugStick()
		log, _ := onHAT(t, h, Options{}, func(_ context.CancelFunc, other *fake) {
			other.press(game.Press{Key: game.Left})
			h.PlugMatrix()
			same(t, h, other)
			h.PlugStick()
			synctest.Wait()
			h.Tap(hat.Left)
			same(t, h, other)
			if v := other.last(); v.Cursor != 1 {
				t.Errorf("the cursor is on %d", v.Cursor)
			}
			h.Press(hat.Left)
			synctest.Wait()
			h.UnplugStick()
			synctest.Wait()
			if v := other.last(); v.Cursor != 0 {
				t.Errorf("the cursor is on %d", v.Cursor)
			}
			h.UnplugMatrix()
			synctest.Wait()
			other.press(game.Press{Key: game.Right})
			other.press(game.Press{Key: game.Right})
			h.PlugStick()
			h.PlugMatrix()
			sleep(time.Second)
			same(t, h, other)
			h.Tap(hat.Middle)
			same(t, h, other)
			if v := other.last(); v.Phase != game.Fall || v.Game.String() != "3" {
				t.Errorf("%v after %s", v.Phase, v.Game.String())
			}
		})
		// Twice missing, twice there, once gone and back each.
		if n := strings.Count(log, "\n"); n < 6 || n > 10 {
			t.Errorf("logged:\n%s", log)
		}
	})
}

// A frame that could not be written comes with the next sign of life, the errors
// are logged once a minute, and the game goes on.
func TestHATWriteErrors(t *testing.T) {
	for _, fault := range []error{syscall.EFBIG, syscall.ENOSPC, syscall.EINTR, syscall.EINVAL, errors.New("strange")} {
		synctest.Test(t, func(t *testing.T) {
			h := hattest.New()
			log, _ := onHAT(t, h, Options{Every: 10 * time.Second}, func(_ context.CancelFunc, other *fake) {
				h.FailWrites(3, fault)
				other.press(game.Press{Key: game.Left})
				other.press(game.Press{Key: game.Left})
				sleep(30 * time.Second)
				same(t, h, other)
				h.ShortWrites(1)
				other.press(game.Press{Key: game.Right})
				sleep(10 * time.Second)
				same(t, h, other)
			})
			if n := strings.Count(log, "not shown"); fault != syscall.EINTR && n != 1 {
				t.Errorf("%v: logged %d times:\n%s", fault, n, log)
			}
		})
	}
}

// Its bus is dead without a word while a HAT sits loosely: the picture comes back
// with a sign of life or a press.
func TestHATReseated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		onHAT(t, h, Options{Every: 10 * time.Second}, func(_ context.CancelFunc, other *fake) {
			h.Reseat()
			if h.Letters() != darkLEDs {
				t.Fatal("the test tests nothing")
			}
			sleep(10 * time.Second)
			same(t, h, other)
			h.Reseat()
			h.Press(hat.Up)
			synctest.Wait()
			same(t, h, other)
		})
	})
}

// Another program gives the driver a gamma table of zeros: it is the default one again with
// the next sign of life, also while the picture changes, and that is logged.
func TestHATGammaRestored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		right := h.Gamma()
		log, _ := onHAT(t, h, Options{Every: 10 * time.Second}, func(_ context.CancelFunc, other *fake) {
			for range 3 {
				h.SetGamma([32]byte{})
				sleep(10 * time.Second)
				synctest.Wait()
				if h.Gamma() != right {
					t.Error("not restored under a still picture")
				}
			}
			h.SetGamma([32]byte{})
			h.Press(hat.Left)
			synctest.Wait()
			if h.Gamma() != right {
				t.Error("not restored with a press")
			}
		})
		if n := strings.Count(log, "gamma"); n != 1 {
			t.Errorf("logged %d times in a minute:\n%s", n, log)
		}
	})
}

// A write that hangs delays neither the game nor the end.
func TestHATStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		var ending time.Time
		var release func()
		log, _ := onHAT(t, h, Options{}, func(_ context.CancelFunc, other *fake) {
			release = h.BlockWrites()
			h.Tap(hat.Left)
			synctest.Wait()
			h.Tap(hat.Middle)
			sleep(time.Second)
			if v := other.last(); v.Game.String() != "3" || v.Phase != game.Aim {
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

// The loop's panic leaves the LEDs dark.
func TestHATDarkAfterPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		advise := func(context.Context, board.Game) (game.Advice, error) { panic("no idea") }
		_, err := onHAT(t, h, Options{Advise: advise}, func(_ context.CancelFunc, other *fake) {
			other.press(game.Hint)
			sleep(100 * time.Millisecond)
		})
		var fault *Fault
		if !errors.As(err, &fault) {
			t.Error(err)
		}
		if h.Letters() != darkLEDs {
			t.Errorf("left\n%s", h.Letters())
		}
	})
}

// A device that opens and fails at once, again and again, is asked a few times a
// second and not as fast as it can fail; the log stays short.
func TestHATFailsAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		log, _ := onHAT(t, h, Options{}, func(_ context.CancelFunc, other *fake) {
			for range 100 { // each opening's dark frame succeeds, what follows does not
				h.FailWrites(1, syscall.EIO)
				other.press(game.Press{Key: game.Left})
				sleep(100 * time.Millisecond)
			}
			h.FailWrites(0, nil)
			other.press(game.Press{Key: game.Left})
			sleep(time.Second)
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

// What changes beside the picture writes nothing.
func TestHATWritesOnlyChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		onHAT(t, h, Options{}, func(_ context.CancelFunc, other *fake) {
			other.press(game.Column{Col: 7}) // refused with a blink
			wrote, shown := len(h.Frames()), len(other.views())
			other.press(game.Column{Col: 8}) // the blink goes on, the words change
			if len(other.views()) == shown {
				t.Fatal("the test tests nothing")
			}
			if n := len(h.Frames()); n != wrote {
				t.Errorf("%d frames were written", n-wrote)
			}
		})
	})
}

// A matrix that goes and comes back while nothing happens shows the picture again.
func TestHATComesBackUnderAStillPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		onHAT(t, h, Options{}, func(_ context.CancelFunc, other *fake) {
			for range 3 {
				h.UnplugMatrix()
				sleep(time.Minute)
				h.PlugMatrix()
				sleep(time.Second)
				same(t, h, other)
			}
			h.UnplugMatrix()
			sleep(time.Minute)
			other.press(game.Press{Key: game.Left})
			h.PlugMatrix()
			sleep(time.Second)
			same(t, h, other)
		})
		if h.Letters() != darkLEDs {
			t.Errorf("left\n%s", h.Letters())
		}
	})
}

// The device is deleted while it is open, and its close never returns, as with the
// kernel's driver: the next one is used all the same.
func TestHATCloseNeverReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		var releases []func()
		var ending time.Time
		log, _ := onHAT(t, h, Options{}, func(_ context.CancelFunc, other *fake) {
			for range 3 {
				releases = append(releases, h.BlockCloses())
				h.UnplugMatrix()
				h.UnplugStick()
				sleep(time.Minute)
				h.PlugMatrix()
				h.PlugStick()
				sleep(5 * time.Second)
				same(t, h, other)
				before := other.last().Cursor
				h.Tap(hat.Left)
				same(t, h, other)
				if v := other.last(); v.Cursor == before {
					t.Error("the joystick is dead")
				}
			}
			releases = append(releases, h.BlockCloses())
			ending = time.Now()
		})
		if h.Letters() != darkLEDs {
			t.Errorf("left\n%s", h.Letters())
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

// A joystick that opens and then cannot be read is told of at most once a minute, and
// tried less and less often; once it works it is told of as there, and pressed.
func TestHATJoystickThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &counted{HAT: hattest.New()}
		var log lockedBuffer
		panel := NewHATOf(h, nil, nil, nil, slog.New(slog.NewTextHandler(&log, nil)))
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
		synctest.Wait()
		lines := func() int {
			return strings.Count(log.String(), "device=\"Sense HAT joy") + strings.Count(log.String(), "waiting for the joy")
		}
		if n := lines(); n != 3 { // it is there, it has failed, it is there

			t.Errorf("%d lines in 10 s:\n%s", n, log.String())
		}
		if n := h.sticks.Load(); n < 3 || n > 10 {
			t.Errorf("opened %d times in 10 s", n)
		}
		sleep(5 * time.Minute)
		synctest.Wait()
		if n := lines(); n > 3+2*5 {
			t.Errorf("%d lines in 5 minutes:\n%s", n, log.String())
		}
		h.FailReads(0, nil)
		sleep(5 * time.Second)
		synctest.Wait()
		if !strings.HasSuffix(log.String(), "msg=\"the joystick is there\" device=\"Sense HAT joystick in memory\"\n") {
			t.Errorf("logged:\n%s", log.String())
		}
		h.Press(hat.Left)
		if ev := <-events; ev != (game.Press{Key: game.Left}) {
			t.Error(ev)
		}
		// One that was good for long is looked for at once.
		sleep(time.Hour)
		h.UnplugStick()
		began := time.Now()
		<-events // let go
		if took := time.Since(began); took > 200*time.Millisecond {
			t.Errorf("looked for after %v", took)
		}
		h.PlugStick()
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
	sticks atomic.Int32
}

func (c *counted) AwaitStick(ctx context.Context, o *hat.Opts, report func(error)) (*hat.Stick, error) {
	c.sticks.Add(1)
	return c.HAT.AwaitStick(ctx, o, report)
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
