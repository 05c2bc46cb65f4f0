package hat_test

import (
	"image/color"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"periph.io/x/conn/v3/gpio"
)

// pin is a board's interrupt line that is slow and loses edges.
type pin struct {
	gpio.PinIn
	late  time.Duration // delay before it waits for an edge
	loses atomic.Bool
	used  atomic.Int32 // users that have not closed the line
}

func (p *pin) In(pull gpio.Pull, edge gpio.Edge) error {
	p.used.Add(1)
	return p.PinIn.In(pull, edge)
}

func (p *pin) WaitForEdge(timeout time.Duration) bool {
	time.Sleep(p.late)
	for {
		if edge := p.PinIn.WaitForEdge(timeout); !edge || !p.loses.Load() {
			return edge
		}
	}
}

func (p *pin) Close() { p.used.Add(-1) }

// withPin opens the joystick of a board with such a line, and returns its events.
func withPin(t *testing.T, b *hattest.Board, p *pin) (*hat.I2C, *hat.Joystick, chan hat.Event) {
	t.Helper()
	p.PinIn = b.Interrupt()
	way := &hat.I2C{Open: b.Open, Interrupt: func() gpio.PinIn { return p }}
	s, err := way.OpenJoystick(nil)
	must(t, err)
	return way, s, heard(s)
}

// heard returns the joystick's events, until it fails.
func heard(s *hat.Joystick) chan hat.Event {
	events := make(chan hat.Event, 100)
	go func() {
		defer close(events)
		for {
			e, err := s.ReadEvent()
			if err != nil {
				return
			}
			events <- e
		}
	}()
	return events
}

// When Close returns, the line is free for the next joystick.
func TestCloseReleasesLine(t *testing.T) {
	for _, late := range []time.Duration{0, 5 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			b, p := hattest.NewBoard(), &pin{late: late}
			for range 3 {
				_, s, events := withPin(t, b, p)
				if n := p.used.Load(); n != 1 {
					t.Fatalf("late by %v: %d users of the line", late, n)
				}
				b.Press(hat.Up)
				if e := <-events; e.Key != hat.Up {
					t.Errorf("late by %v: %v", late, e)
				}
				b.Release(hat.Up)
				<-events
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				if n := p.used.Load(); n != 0 {
					t.Fatalf("late by %v: %d users of the line after Close", late, n)
				}
			}
		})
	}
}

// A lost edge is detected by polling while playing, and by the next frame while idle;
// without a frame, the keys are not read while idle.
func TestLostEdge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, p := hattest.NewBoard(), &pin{}
		way, s, events := withPin(t, b, p)
		m, err := way.OpenMatrix(nil)
		must(t, err)
		p.loses.Store(true)
		b.Press(hat.Left)
		began := time.Now()
		if e := <-events; e != (hat.Event{Key: hat.Left, Action: hat.Press}) || time.Since(began) > 11*time.Second {
			t.Errorf("%v after %v", e, time.Since(began))
		}
		b.Release(hat.Left)
		for e := range events {
			if e.Action == hat.Release {
				break
			}
		}
		time.Sleep(2 * time.Minute)
		b.Press(hat.Right)
		before := b.Transfers()
		time.Sleep(12 * time.Hour)
		if n := b.Transfers() - before; n != 0 || len(events) != 0 {
			t.Errorf("%d transfers and %d events while idle", n, len(events))
		}
		must(t, m.WriteFrame(&[64]color.RGBA{{R: 248}}))
		if e := <-events; e != (hat.Event{Key: hat.Right, Action: hat.Press}) {
			t.Error(e)
		}

		// The joystick does not notice that the board is unplugged, but writing a frame does.
		b.Release(hat.Right)
		b.Unplug()
		if err := m.Refresh(); err == nil {
			t.Error("no error from writing to an unplugged board")
		}
		for range events { // until the joystick is disconnected
		}
		s.Close()
		m.Close()
	})
}
