package settings

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/front/light"
	"github.com/c4hat/c4hat/internal/service/pi"
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
	s.bus = pi.HAT(device)
	return s.bus
}

// Degrees returns the initial rotation of the picture and the joystick, in degrees.
func (s *Settings) Degrees() int {
	degrees, _ := strconv.Atoi(s.rotate) // a number, or auto
	return degrees
}

// Automatic reports whether the picture follows the sensors.
func (s *Settings) Automatic() bool { return s.rotate == "auto" || s.brightness == 0 }

// Sense returns the rotation and the colours, by the sensors as far as the settings are auto. What cannot be
// read stays, and the error says how to do without it.
func (s *Settings) Sense() (degrees int, colours *light.Colours, err error) {
	degrees, colours = s.Degrees(), s.Colours()
	if s.Bus() == nil {
		return degrees, colours, errors.New("there is no I²C bus to read a sensor: set i2c, or set rotate and brightness to numbers")
	}
	if s.rotate == "auto" {
		if degrees, err = s.Bus().Rotation(); err != nil {
			err = fmt.Errorf("%w; or set rotate to a number", err)
		}
	}
	if s.brightness == 0 {
		room, dark := s.Bus().Light()
		if dark == nil {
			colours = light.New(s.Palette, light.Brightness(room))
		} else if err == nil {
			err = fmt.Errorf("%w; or set brightness to a number", dark)
		}
	}
	return degrees, colours, err
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
