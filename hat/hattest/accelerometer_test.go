package hattest

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/c4hat/c4hat/hat"
)

// A failing bus is closed, so that the next reading opens it again. Close closes it too.
func TestAccelerometerClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBoard()
		b.Tilt(1<<14, 0, 0)
		a := b.I2C().Accelerometer()
		asks := func(handles int) {
			t.Helper()
			if up, err := a.Rotation(); up != 90 || err != nil || b.Handles() != handles {
				t.Errorf("%d, %v, with %d handles", up, err, b.Handles())
			}
		}
		asks(1)
		asks(1)
		b.Unplug()
		if _, err := a.Rotation(); !errors.Is(err, hat.ErrNotFound) || b.Handles() != 0 {
			t.Errorf("%v, with %d handles", err, b.Handles())
		}
		b.Plug()
		asks(1)
		if err := a.Close(); err != nil || b.Handles() != 0 {
			t.Errorf("%v, with %d handles", err, b.Handles())
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		asks(1)
	})
}
