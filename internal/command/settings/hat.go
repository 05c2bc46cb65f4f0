package settings

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"periph.io/x/conn/v3/i2c"
	"periph.io/x/host/v3/sysfs"
)

// HAT returns the options for opening the HAT or the emulator.
func (s *Settings) HAT() *hat.Opts {
	return &hat.Opts{Framebuffer: s.FB, Joystick: s.Stick, I2C: s.Bus()}
}

// Bus returns the I²C bus for a HAT without kernel drivers, or nil if no bus may be used. It always
// returns the same bus, because a bus counts its errors.
func (s *Settings) Bus() *hat.I2C {
	device := s.I2C
	if s.bus != nil || device == "off" {
		return s.bus
	}
	if device == "" {
		if !OnPi() { // on another machine's bus any device may have the HAT's address
			return nil
		}
		device = DefaultBus
	}
	s.bus = BusAt(device)
	return s.bus
}

// BusAt returns the Sense HAT on the I²C bus at a path. The bus is not opened through the registry of
// periph.io, which has only the buses that existed when it was initialised.
func BusAt(path string) *hat.I2C {
	return &hat.I2C{Device: path, Open: func() (i2c.BusCloser, error) {
		n, err := strconv.Atoi(strings.TrimPrefix(path, "/dev/i2c-"))
		if err != nil {
			return nil, fmt.Errorf("%s is not an I²C bus", path)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0) // for the error: periph.io's names a group that Raspberry Pi OS does not use
		if err != nil {
			return nil, err
		}
		f.Close() // nothing was written
		bus, err := sysfs.NewI2C(n)
		if err != nil {
			return nil, err
		}
		return bus, nil
	}}
}

// Model returns the model of the board, or "no Raspberry Pi" if there is none.
func Model() string {
	model, _ := os.ReadFile("/proc/device-tree/model")
	return cmp.Or(strings.TrimRight(string(model), "\x00"), "no Raspberry Pi")
}

// OnPi reports whether this is a Raspberry Pi.
func OnPi() bool { return strings.HasPrefix(Model(), "Raspberry Pi") }

// Look returns how the picture is shown on the HAT. What follows a sensor begins unturned and in the middle.
func (s *Settings) Look() hatpanel.Look {
	colours := hatpanel.NewColours(s.Palette, cmp.Or(s.brightness, hatpanel.Full/2))
	l := hatpanel.Look{Colours: colours, Idle: cmp.Or(s.idle, math.MaxInt64)}
	l.Degrees, _ = strconv.Atoi(s.rotate) // a number, or auto
	if s.rotate == "auto" || s.brightness == 0 {
		l.Sense = s.sense
	}
	return l
}

// sense returns the look by the sensors, as far as the settings are auto. What cannot be read stays, and the error says
// how to do without it.
func (s *Settings) sense() (l hatpanel.Look, err error) {
	l = s.Look()
	if s.Bus() == nil {
		return l, errors.New("there is no I²C bus to read a sensor: set i2c, or set rotate and brightness to numbers")
	}
	if s.rotate == "auto" {
		if l.Degrees, err = s.Bus().Rotation(); err != nil {
			err = fmt.Errorf("%w; or set rotate to a number", err)
		}
	}
	if s.brightness == 0 {
		room, dark := s.Bus().Light()
		if dark == nil {
			l.Colours = hatpanel.NewColours(s.Palette, hatpanel.Brightness(room))
		} else if err == nil {
			err = fmt.Errorf("%w; or set brightness to a number", dark)
		}
	}
	return l, err
}

// Picture returns the colours of a picture in a terminal, which has a brightness of its own.
func (s *Settings) Picture() *hatpanel.Colours { return hatpanel.NewColours(s.Palette, hatpanel.Full) }
