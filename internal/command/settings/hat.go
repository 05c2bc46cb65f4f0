package settings

import (
	"fmt"
	"strconv"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/front/light"
	"github.com/c4hat/c4hat/internal/service/pi"
	"periph.io/x/conn/v3/i2c"
)

// HAT returns the options for opening the HAT or the emulator.
func (s *Settings) HAT() *hat.Opts {
	return &hat.Opts{Framebuffer: s.FB, Joystick: s.Stick, I2C: s.Bus(), Rotate: s.Degrees()}
}

// Bus returns the I²C bus for a HAT without kernel drivers, or nil if no bus may be used. It always
// returns the same bus, because a bus counts its errors.
func (s *Settings) Bus() *hat.I2C {
	device := s.I2C
	if s.bus != nil || device == "off" {
		return s.bus
	}
	if device == "" {
		if !pi.Is() { // on another machine's bus any device may have the HAT's address
			return nil
		}
		device = pi.Bus
	}
	s.bus = &hat.I2C{Device: device, Open: func() (i2c.BusCloser, error) { return pi.OpenBus(device) }}
	return s.bus
}

// Degrees returns the initial rotation of the picture and the joystick, in degrees.
func (s *Settings) Degrees() int {
	degrees, _ := strconv.Atoi(s.rotate) // a number, or auto
	return degrees
}

// Upright returns a function that reads the rotation of the HAT from the accelerometer, in degrees. If rotate
// is not auto, the function is nil.
func (s *Settings) Upright() func() (degrees int, err error) {
	if s.rotate != "auto" {
		return nil
	}
	return func() (int, error) { return sensor(s.Bus(), "rotate", (*hat.I2C).Rotation) }
}

// Room returns a function that reads the light of the room. If brightness is not auto, the function is nil.
func (s *Settings) Room() func() (room float64, err error) {
	if s.brightness != 0 {
		return nil
	}
	return func() (float64, error) { return sensor(s.Bus(), "brightness", (*hat.I2C).Light) }
}

// sensor reads a sensor on a bus, which may be nil. Errors say how to do without it.
func sensor[T any](bus *hat.I2C, setting string, read func(*hat.I2C) (T, error)) (value T, err error) {
	if bus == nil {
		return value, fmt.Errorf("there is no I²C bus to read a sensor: set i2c, or set %s to a number", setting)
	}
	if value, err = read(bus); err != nil {
		err = fmt.Errorf("%w; or set %s to a number", err, setting)
	}
	return value, err
}

// Colours returns those of the palette at the brightness. A brightness that follows the room begins
// in the middle.
func (s *Settings) Colours() *light.Colours {
	if s.brightness == 0 {
		return light.New(s.Palette, light.Full/2)
	}
	return light.New(s.Palette, s.brightness)
}

// Picture returns the colours of a picture in a terminal, which has a brightness of its own.
func (s *Settings) Picture() *light.Colours { return light.New(s.Palette, light.Full) }
