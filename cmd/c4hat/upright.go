package main

import (
	"errors"
	"fmt"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/loop"
)

// follow has picture and joystick turned as the HAT stands, where that is wanted, and says
// whether it is.
func (s *settings) follow(panel *loop.HAT) bool {
	if s.rotate.word != "auto" {
		panel.Follow(nil)
		return false
	}
	panel.Follow(upright(s.bus()))
	return true
}

// upright asks the accelerometer on a bus, if there is one. It may come later than we.
func upright(bus *hat.I2C) func() (int, error) {
	if bus == nil {
		return func() (int, error) {
			return 0, errors.New("there is no I²C bus to ask the accelerometer on: set i2c, or rotate to a number")
		}
	}
	a := bus.Accelerometer()
	return func() (int, error) {
		degrees, err := a.Up()
		if err != nil {
			err = fmt.Errorf("%w; or set rotate to a number", err)
		}
		return degrees, err
	}
}
