package hat_test

import (
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
)

func TestI2CJoystick(t *testing.T) {
	for _, polled := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := hattest.NewBoard()
			b.Polled = polled
			b.Press(hat.Up) // before the joystick is opened: not reported
			s, err := b.I2C().OpenJoystick(&hat.Opts{Rotate: 180})
			must(t, err)
			began := time.Now()
			type seen struct {
				hat.Event
				at time.Duration
			}
			events := make(chan seen, 100)
			done := make(chan error)
			go func() {
				for {
					e, err := s.ReadEvent()
					if err != nil {
						done <- err
						return
					}
					events <- seen{e, time.Since(began)}
				}
			}()
			at := func(ms int) {
				time.Sleep(time.Until(began.Add(time.Duration(ms) * time.Millisecond)))
				synctest.Wait()
			}
			at(100)
			b.Release(hat.Up)
			at(1000)
			b.Press(hat.Left)
			at(1000 + 250 + 40 + 30)
			b.Press(hat.Middle) // now this key repeats
			at(1500)
			b.Release(hat.Left) // ends the repeats
			at(3000)
			b.Release(hat.Middle)
			at(3100)
			slack := 10 * time.Millisecond
			if polled {
				slack = 30 * time.Millisecond
			}
			for _, want := range []seen{
				{hat.Event{Key: hat.Right, Action: hat.Press}, 1000},
				{hat.Event{Key: hat.Right, Action: hat.Hold}, 1250},
				{hat.Event{Key: hat.Right, Action: hat.Hold}, 1290},
				{hat.Event{Key: hat.Middle, Action: hat.Press}, 1320},
				{hat.Event{Key: hat.Right, Action: hat.Release}, 1500},
				{hat.Event{Key: hat.Middle, Action: hat.Release}, 3000},
			} {
				select {
				case got := <-events:
					if late := got.at - want.at*time.Millisecond; got.Event != want.Event || late < 0 || late > slack {
						t.Errorf("polled %v: %v at %v, want it at %d ms", polled, got.Event, got.at, want.at)
					}
				default:
					t.Errorf("polled %v: no %v", polled, want.Event)
				}
			}
			if len(events) > 0 {
				t.Errorf("then %v", <-events)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if err := <-done; !errors.Is(err, os.ErrClosed) {
				t.Error(err)
			}
		})
	}
}

// With a line, the keys are never read while idle and rarely while playing. Without one, they are
// read ten times a second while idle and fifty times while playing.
func TestI2CJoystickIdle(t *testing.T) {
	for polled, want := range map[bool]struct{ idle, least, most int }{false: {0, 6, 10}, true: {601, 2990, 3001}} {
		synctest.Test(t, func(t *testing.T) {
			b := hattest.NewBoard()
			b.Polled = polled
			s, err := b.I2C().OpenJoystick(nil)
			must(t, err)
			go func() {
				for {
					if _, err := s.ReadEvent(); err != nil {
						return
					}
				}
			}()
			time.Sleep(2 * time.Minute)
			transfers := func() int {
				before := b.Transfers()
				time.Sleep(time.Minute)
				synctest.Wait()
				return b.Transfers() - before
			}
			if n := transfers(); n > want.idle {
				t.Errorf("polled %v: %d transfers in a minute of rest", polled, n)
			}
			b.Press(hat.Left)
			b.Release(hat.Left)
			b.Press(hat.Left)
			time.Sleep(110 * time.Millisecond)
			b.Release(hat.Left)
			if n := transfers(); n < want.least || n > want.most {
				t.Errorf("polled %v: %d transfers in a minute of playing", polled, n)
			}
			s.Close()
		})
	}
}
