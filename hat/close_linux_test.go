package hat

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
)

// A matrix and a joystick that are deleted while open, and whose close never returns, do not
// block the next ones.
func TestStuckClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTree(t)
		s.name(t, "graphics/fb0/name", "RPi-Sense FB")
		s.file(t, "fb0", "/dev/null")
		s.name(t, "input/event3/device/name", "Raspberry Pi Sense HAT Joystick")
		s.file(t, "input/event3", "/dev/null")
		stuck := make(chan struct{})
		defer close(stuck)

		d := senseHAT()
		d.stuck = stuck
		s.device.Store(d)
		m, err := s.openMatrix(nil)
		must(t, err)
		d.write = func([]byte, int64) (int, error) { return 0, unix.ENODEV }
		began := time.Now()
		if err := m.Close(); !errors.Is(err, ErrGone) || time.Since(began) > time.Second {
			t.Errorf("the matrix is closed after %v: %v", time.Since(began), err)
		}
		s.device.Store(senseHAT())
		m, err = s.openMatrix(nil)
		must(t, err)
		must(t, m.Close())

		s.device.Store(&scripted{stuck: stuck})
		st, err := s.openJoystick(nil)
		must(t, err)
		began = time.Now()
		if err := st.Close(); err == nil || time.Since(began) > time.Second {
			t.Errorf("the joystick is closed after %v: %v", time.Since(began), err)
		} else {
			line(t, err, "closing the joystick")
		}
		s.device.Store(&scripted{})
		st, err = s.openJoystick(nil)
		must(t, err)
		must(t, st.Close())
	})
}

// A stuck close of a device that another process has locked, whose descriptor is kept for further
// tries, does not block either.
func TestStuckCloseWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTree(t)
		s.name(t, "graphics/fb0/name", "RPi-Sense FB")
		s.file(t, "fb0", "/dev/null")
		stuck := make(chan struct{})
		defer close(stuck)
		d := senseHAT()
		d.stuck, d.locks = stuck, []error{unix.EWOULDBLOCK}
		s.device.Store(d)
		c := s.claim()
		_, err := c.matrix(nil)
		kinds(t, err, ErrBusy)
		began := time.Now()
		c.drop()
		if took := time.Since(began); took > time.Second {
			t.Errorf("closed after %v", took)
		}
	})
}
