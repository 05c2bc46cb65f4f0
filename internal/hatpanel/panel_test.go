package hatpanel

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/session"
)

// A frame that could not be written is shown at the next call of Alive, errors are logged once a
// minute, and the game continues.
func TestWriteErrors(t *testing.T) {
	for _, fault := range []error{syscall.EFBIG, syscall.ENOSPC, syscall.EINTR, syscall.EINVAL, errors.New("unknown")} {
		synctest.Test(t, func(t *testing.T) {
			h := hattest.New()
			log := onHAT(t, h, session.Options{Every: 10 * time.Second}, func(other *gametest.Panel) {
				h.FailWrites(3, fault)
				other.Press(game.Press{Key: game.Left})
				other.Press(game.Press{Key: game.Left})
				sleep(30 * time.Second)
				same(t, h, other)
				h.ShortWrites(1)
				other.Press(game.Press{Key: game.Right})
				sleep(10 * time.Second)
				same(t, h, other)
			})
			if n := strings.Count(log, "cannot show a frame"); fault != syscall.EINTR && n != 1 {
				t.Errorf("%v: logged %d times:\n%s", fault, n, log)
			}
		})
	}
}

// A loose contact kills the HAT's bus without an error: the next call of Alive or the next press
// brings the picture back.
func TestReseat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		onHAT(t, h, session.Options{Every: 10 * time.Second}, func(other *gametest.Panel) {
			h.Reseat()
			if h.Letters() != darkLEDs {
				t.Fatal("the test is void: the setup had no effect")
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

// Another program sets a gamma table of zeros: the next call of Alive restores the default, even
// while the picture changes, and logs this.
func TestGammaRestored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		right := h.Gamma()
		log := onHAT(t, h, session.Options{Every: 10 * time.Second}, func(other *gametest.Panel) {
			for range 3 {
				h.SetGamma([32]byte{})
				sleep(10 * time.Second)
				synctest.Wait()
				if h.Gamma() != right {
					t.Error("not restored with a still picture")
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

// A view with an unchanged frame writes nothing.
func TestUnchangedFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		onHAT(t, h, session.Options{}, func(other *gametest.Panel) {
			other.Press(game.Column{Col: 7}) // refused with a blink
			wrote, shown := len(h.Frames()), len(other.Views())
			other.Press(game.Column{Col: 8}) // the same blink, another notice
			if len(other.Views()) == shown {
				t.Fatal("the test is void: the setup had no effect")
			}
			if n := len(h.Frames()); n != wrote {
				t.Errorf("%d frames were written", n-wrote)
			}
		})
	})
}

// While the LEDs are dark, the calls of Alive send nothing to them; a lit frame is repeated.
func TestNoTrafficInTheDark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := hattest.NewBoard()
		panel := NewOf(b, nil, nil, nil, slog.New(slog.DiscardHandler))
		defer panel.Close()
		for _, v := range []game.View{{Frame: game.Starting()}, {}} {
			_ = panel.Show(v, false)
			before, want := b.Transfers(), 0
			if v.Frame != (game.View{}).Frame {
				want = 4
			}
			for range 4 {
				_ = panel.Show(v, true)
			}
			if n := b.Transfers() - before; n != want {
				t.Errorf("%d transfers, want %d", n, want)
			}
		}
	})
}

// play runs a game on a panel, and on another one with which the test plays, until the test returns.
// Then it closes the panel.
func play(t *testing.T, panel *Panel, c game.Config, o session.Options, test func(other *gametest.Panel)) {
	t.Helper()
	c.Setup = game.Setup{Rules: board.Standard, Points: 2}
	s, err := game.New(c, time.Now())
	must(t, err)
	other := gametest.NewPanel()
	o.Panels = append(o.Panels, panel, other)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := session.New(s, o).Run(ctx)
		panel.Close()
		done <- err
	}()
	synctest.Wait()
	test(other)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the loop ended: %v", err)
	}
}

// onHAT runs a game on a HAT in memory while the test plays, and returns the log.
func onHAT(t *testing.T, h *hattest.HAT, o session.Options, test func(other *gametest.Panel)) (logged string) {
	t.Helper()
	var log bytes.Buffer
	play(t, NewOf(h, nil, nil, nil, slog.New(slog.NewTextHandler(&log, nil))), game.Config{}, o, test)
	return log.String()
}

// same checks that the LEDs show the same as the other panel.
func same(t *testing.T, h *hattest.HAT, other *gametest.Panel) {
	t.Helper()
	synctest.Wait()
	if got := lettersOf(other.Last()); h.Letters() != got {
		t.Fatalf("the LEDs show\n%swant\n%s", h.Letters(), got)
	}
}

// lettersOf draws a view's LEDs as [hattest.HAT.Letters] does.
func lettersOf(v game.View) string {
	f := gametest.Colours(v)
	return hattest.Letters(&f)
}

const darkLEDs = "........\n........\n........\n........\n........\n........\n........\n........\n"

// sleep lets time pass in a synctest bubble, and waits until everything that happens in this time
// is done.
func sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
