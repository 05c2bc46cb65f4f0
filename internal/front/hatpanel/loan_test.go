package hatpanel

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/game"
)

var redLED = "R" + darkLEDs[1:]

// lent plays a demo on a front whose HAT is lent.
func lent(t *testing.T, test func(d *desk, l *Loan)) {
	t.Helper()
	onHAT(t, game.Config{Attract: true, Forever: true}, func(d *desk) {
		sleep(time.Second)
		l, err := d.front.Borrow(context.Background())
		must(t, err)
		test(d, l)
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
	for name, back := range map[string]func(*desk, *Loan){
		"the borrower's end":  func(_ *desk, l *Loan) { l.end() },
		"nothing for a while": func(*desk, *Loan) { sleep(time.Minute) },
		"up is held": func(d *desk, l *Loan) {
			d.Press(hat.Up)
			sleep(returnAfter - time.Millisecond)
			if ended(l) {
				t.Error("a short press of up ends the loan")
			}
			sleep(time.Millisecond)
			d.Release(hat.Up)
		},
		"a match": func(d *desk, _ *Loan) { d.other.Press(game.Press{Key: game.Middle}) },
	} {
		lent(t, func(d *desk, l *Loan) {
			if d.Letters() == darkLEDs {
				t.Errorf("%s: dark before the first picture", name)
			}
			l.Show(Frame{0: {R: 248, A: 255}})
			if synctest.Wait(); d.Letters() != redLED {
				t.Errorf("%s: the LEDs show\n%s", name, d.Letters())
			}
			d.Tap(hat.Left)
			for _, want := range []game.Press{{Key: game.Left}, {Key: game.Left, Action: game.Released}} {
				if got := <-l.Keys(); got != want {
					t.Errorf("%s: %v, want %v", name, got, want)
				}
			}
			if _, err := d.front.Borrow(context.Background()); !errors.Is(err, ErrInUse) {
				t.Errorf("%s: a second borrower: %v", name, err)
			}
			if ended(l) || d.other.Last().Phase != game.Attract {
				t.Errorf("%s: ended too soon, in %v", name, d.other.Last().Phase)
			}
			back(d, l)
			sleep(time.Second)
			if got := d.Letters(); !ended(l) || got == redLED || got == darkLEDs {
				t.Errorf("%s: ended: %v, the LEDs show\n%s", name, ended(l), got)
			}
			_, err := d.front.Borrow(context.Background())
			if free := d.other.Last().Phase == game.Attract; free != (err == nil) {
				t.Errorf("%s: in %v the next borrower gets %v", name, d.other.Last().Phase, err)
			}
		})
	}
}

// Of a borrower's pictures at most sixty a second are written, and the last one is.
func TestManyPictures(t *testing.T) {
	lent(t, func(d *desk, l *Loan) {
		began := time.Now()
		for i := range 10 * pictureRate {
			l.Show(Frame{0: {R: uint8(8 * i), A: 255}})
		}
		l.Show(Frame{0: {R: 248, A: 255}})
		if took := time.Since(began); took < 10*time.Second || took > 11*time.Second {
			t.Errorf("six hundred pictures take %v", took)
		}
		if synctest.Wait(); d.Letters() != redLED {
			t.Errorf("the LEDs show\n%s", d.Letters())
		}
	})
}

// A borrower's first picture lights up a dark HAT, and its end or a late picture leaves it dark.
func TestLoanInTheDark(t *testing.T) {
	onHAT(t, game.Config{Attract: true, Forever: true, Idle: time.Minute}, func(d *desk) {
		sleep(time.Hour)
		ctx, cancel := context.WithCancel(context.Background())
		l, err := d.front.Borrow(ctx)
		must(t, err)
		l.Show(Frame{0: {R: 248, A: 255}})
		if synctest.Wait(); d.Letters() != redLED {
			t.Errorf("the LEDs show\n%s", d.Letters())
		}
		cancel()
		if sleep(time.Second); d.Letters() != darkLEDs {
			t.Errorf("after the loan the LEDs show\n%s", d.Letters())
		}
		l.Show(Frame{0: {R: 248, A: 255}})
		if sleep(time.Second); d.Letters() != darkLEDs {
			t.Errorf("a picture after the loan: the LEDs show\n%s", d.Letters())
		}
	})
}
