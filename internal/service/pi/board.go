// Package pi finds the model of the board, its I²C bus, its memory, and its text console.
package pi

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/hat"
	"periph.io/x/conn/v3/i2c"
	"periph.io/x/host/v3/distro"
	"periph.io/x/host/v3/sysfs"
)

// Model returns the model of the board, or "no Raspberry Pi" if the model is unknown.
func Model() string {
	if model := distro.DTModel(); model != "" && model != "<unknown>" {
		return model
	}
	return "no Raspberry Pi"
}

// Is reports whether this is a Raspberry Pi.
func Is() bool { return strings.HasPrefix(Model(), "Raspberry Pi") }

// Bus is the I²C bus of the 40 pins.
const Bus = "/dev/i2c-1"

// HAT returns the Sense HAT on the I²C bus at a path. The bus is not opened through the registry of
// periph.io, which has only the buses that existed when it was initialised.
func HAT(path string) *hat.I2C {
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
