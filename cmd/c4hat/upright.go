package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/loop"
	"periph.io/x/conn/v3/i2c"
)

// follow has picture and joystick turned as the HAT stands, where that is wanted, and says
// whether it is.
func (s *settings) follow(panel *loop.HAT) bool {
	if s.rotate.word != "auto" {
		panel.Follow(nil)
		return false
	}
	panel.Follow(s.i2c.upright(openBus))
	return true
}

// upright asks the accelerometer, on whose bus it is. The bus may come later than we, and
// is opened when it is first wanted.
func (v busValue) upright(open func(path string) (i2c.BusCloser, error)) func() (int, error) {
	var chip *hat.Accelerometer
	return func() (int, error) {
		if chip != nil {
			return chip.Up()
		}
		w := v.way()
		if w == nil {
			return 0, errors.New("there is no I²C bus to ask the accelerometer on: set i2c, or rotate to a number")
		}
		number := strings.TrimPrefix(filepath.Base(w.Device), "i2c-")
		if _, err := os.Stat("/sys/bus/i2c/devices/" + number + "-006a/driver"); err == nil {
			return 0, errors.New("the kernel's driver has the accelerometer: set rotate to a number")
		}
		bus, err := open(w.Device)
		switch {
		case errors.Is(err, fs.ErrPermission):
			return 0, fmt.Errorf("%w: sudo usermod -aG i2c $USER, then log in again; or set rotate to a number", err)
		case err != nil:
			return 0, fmt.Errorf("%w: sudo raspi-config nonint do_i2c 0, or set rotate to a number", err)
		}
		chip = hat.NewAccelerometer(bus)
		return chip.Up()
	}
}
