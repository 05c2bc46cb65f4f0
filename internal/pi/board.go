// Package pi is the machine: the model of its board, its I²C bus, the GPIO line of the HAT's
// keys, and its memory.
package pi

import (
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/i2c/i2creg"
	"periph.io/x/host/v3"
	"periph.io/x/host/v3/distro"
	"periph.io/x/host/v3/sysfs"
)

// Model is the name of the board, "no Raspberry Pi" on other machines.
func Model() string {
	if model := distro.DTModel(); model != "" && model != "<unknown>" {
		return model
	}
	return "no Raspberry Pi"
}

// Describe describes the machine for errors: the board and its I²C buses. It may take time
// and memory, and may close standard input (see line): call it only before the program ends.
func Describe() string {
	about := "this machine is " + Model()
	log.SetOutput(io.Discard) // periph.io's drivers log there
	if _, err := host.Init(); err != nil {
		return about
	}
	var buses []string
	for _, bus := range i2creg.All() {
		buses = append(buses, bus.Name)
	}
	if len(buses) == 0 {
		return about + ", without an I²C bus"
	}
	return about + ", with I²C buses " + strings.Join(buses, ", ")
}

// Is reports whether this is a Raspberry Pi.
func Is() bool { return strings.HasPrefix(Model(), "Raspberry Pi") }

// Bus is the I²C bus of the 40 pins.
const Bus = "/dev/i2c-1"

// OpenBus opens an I²C bus by its file, not through the registry of periph.io, which has only
// the buses that existed when it was initialised.
func OpenBus(path string) (i2c.BusCloser, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(path, "/dev/i2c-"))
	if err != nil {
		return nil, fmt.Errorf("%s is not an I²C bus", path)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0) // for its error: periph.io's names a group of other systems
	if err != nil {
		return nil, err
	}
	f.Close() // nothing was written
	bus, err := sysfs.NewI2C(n)
	if err != nil {
		return nil, err
	}
	return bus, nil
}
