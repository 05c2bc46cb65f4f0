package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/hat"
	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/i2c/i2creg"
	"periph.io/x/host/v3"
	"periph.io/x/host/v3/distro"
	"periph.io/x/host/v3/sysfs"
)

// boardModel is the name of the machine's board.
func boardModel() string {
	if model := distro.DTModel(); model != "" && model != "<unknown>" {
		return model
	}
	return "no Raspberry Pi"
}

// describeHost says what machine this is, for errors: the board and its I²C
// buses, one of which the HAT sits on. Looking for those takes a while.
func describeHost() string {
	about := "this machine is " + boardModel()
	if err := initHost(); err != nil {
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

// onPi says whether this is a Raspberry Pi.
func onPi() bool { return strings.HasPrefix(boardModel(), "Raspberry Pi") }

// initHost looks for the machine's buses. That takes a while and some memory, and may close
// standard input, see line: it is for a program that is about to end.
func initHost() error {
	log.SetOutput(io.Discard) // where periph.io's drivers complain; ours go elsewhere
	_, err := host.Init()
	return err
}

// usualBus is the I²C bus of the pins on every board with 40 of them.
const usualBus = "/dev/i2c-1"

// openBus opens an I²C bus by its file. It does without the registry of periph.io, which
// knows only those buses that were there when it was made.
func openBus(path string) (i2c.BusCloser, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(path, "/dev/i2c-"))
	if err != nil {
		return nil, fmt.Errorf("%s is no I²C bus", path)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0) // for its error: periph.io's names a group that is another system's
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

// keysGPIO is the number of the interrupt line of the HAT's keys.
const keysGPIO = 23

// way is how a HAT is driven that the kernel has no drivers for, nil if it is not.
func (v busValue) way() *hat.I2C {
	device := string(v)
	switch {
	case device == "off":
		return nil
	case device == "" && !onPi(): // on another machine's bus anything may have the HAT's address
		return nil
	case device == "":
		device = usualBus
	}
	w := &hat.I2C{Device: device, Open: func() (i2c.BusCloser, error) { return openBus(device) }}
	if device == usualBus && onPi() {
		w.Line = keysLine
	}
	return w
}
