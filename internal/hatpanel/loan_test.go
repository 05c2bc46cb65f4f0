package hatpanel

import (
	"context"
	"errors"
	"image/color"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/light"
)

var redLED = "R" + darkLEDs[1:]

// lent plays a demo on a front whose HAT is lent.
func lent(t *testing.T, play_ func(h *hattest.HAT, f *Front, other *gametest.Panel, l *Loan)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		f := newFront(Devices{h.OpenMatrix, h.OpenJoystick}, Look{Idle: time.Minute}, io.Discard)
		play(t, f, game.Config{Attract: true, Forever: true}, func(other *gametest.Panel) {
			sleep(time.Second)
			l, err := f.Borrow(context.Background())
			must(t, err)
			play_(h, f, other, l)
		})
	})
}

func ended(l *Loan) bool {
	synctest.Wait()
	select {
	case <-l.Done():
		return true
	default:
		return false
	}
}

// A borrower gets the keys and shows pictures, until it returns the HAT.
func TestLoan(t *testing.T) {
	for name, back := range map[string]func(*hattest.HAT, *Front, *gametest.Panel, *Loan){
		"the borrower's end": func(_ *hattest.HAT, _ *Front, _ *gametest.Panel, l *Loan) { l.end() },
		"nothing for a while": func(*hattest.HAT, *Front, *gametest.Panel, *Loan) {
			sleep(time.Minute)
		},
		"up is held": func(h *hattest.HAT, _ *Front, _ *gametest.Panel, l *Loan) {
			h.Press(hat.Up)
			sleep(returnAfter - time.Millisecond)
			if ended(l) {
				t.Error("a short press of up ends the loan")
			}
			sleep(time.Millisecond)
			h.Release(hat.Up)
		},
		"a match": func(_ *hattest.HAT, _ *Front, other *gametest.Panel, _ *Loan) {
			other.Press(game.Press{Key: game.Middle})
		},
	} {
		lent(t, func(h *hattest.HAT, f *Front, other *gametest.Panel, l *Loan) {
			if h.Letters() == darkLEDs {
				t.Errorf("%s: dark before the first picture", name)
			}
			var red light.Frame
			red[0] = color.RGBA{R: 248, A: 255}
			l.Show(red)
			sleep(pictureEvery)
			if got := h.Letters(); got != redLED {
				t.Errorf("%s: the LEDs show\n%s", name, got)
			}
			h.Press(hat.Left)
			h.Release(hat.Left)
			for _, want := range []game.Press{{Key: game.Left}, {Key: game.Left, Action: game.Released}} {
				if got := <-l.Keys(); got != want {
					t.Errorf("%s: %v, want %v", name, got, want)
				}
			}
			if _, err := f.Borrow(context.Background()); !errors.Is(err, ErrInUse) {
				t.Errorf("%s: a second borrower: %v", name, err)
			}
			if ended(l) || other.Last().Phase != game.Attract {
				t.Errorf("%s: ended too soon, in %v", name, other.Last().Phase)
			}
			back(h, f, other, l)
			sleep(time.Second)
			if got := h.Letters(); !ended(l) || got == redLED || got == darkLEDs {
				t.Errorf("%s: ended: %v, the LEDs show\n%s", name, ended(l), got)
			}
			_, err := f.Borrow(context.Background())
			if free := other.Last().Phase == game.Attract; free != (err == nil) {
				t.Errorf("%s: in %v the next borrower gets %v", name, other.Last().Phase, err)
			}
		})
	}
}

// Of a thousand pictures a second at most sixty are written, and the last one is.
func TestPictures(t *testing.T) {
	lent(t, func(h *hattest.HAT, f *Front, _ *gametest.Panel, l *Loan) {
		sleep(time.Second)
		before := len(h.Frames())
		var p light.Frame
		for i := range 1000 {
			p[0] = color.RGBA{R: uint8(i%31+1) << 3, A: 255}
			l.Show(p)
			sleep(time.Millisecond)
		}
		p = light.Frame{}
		p[63] = color.RGBA{B: 248, A: 255}
		l.Show(p)
		sleep(pictureEvery)
		if n := len(h.Frames()) - before; n < 50 || n > 62 {
			t.Errorf("%d pictures", n)
		}
		if got := h.Letters(); got[0] != '.' || got[70] != 'B' {
			t.Errorf("the last is\n%s", got)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := f.Borrow(ctx); err == nil {
			t.Error("a borrower who is gone")
		}
	})
}
