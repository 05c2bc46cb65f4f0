package main

import (
	"strings"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/i2c/i2creg"
	"periph.io/x/host/v3"
	"periph.io/x/host/v3/distro"
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

// openBus opens the I²C bus of the pins, which has the number 1 on every board with
// 40 of them.
func openBus() (i2c.BusCloser, error) {
	if _, err := host.Init(); err != nil {
		return nil, err
	}
	return i2creg.Open("1")
}
