package hat

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/c4hat/c4hat/hat/internal/device"
)

// The light sensor of a Sense HAT V2 is an ams TCS3400, the one of Astro Pi's HATs a TCS34725. The
// addresses of the registers are those on the bus, which are the same for both: the TCS34725 takes
// the highest bit for that of a command (ams, datasheets of the TCS3400, v1-01, and of the TCS3472,
// v1-02). Each byte is read for itself, because the chips read on in different ways; reading the low
// byte of the clear channel keeps the high byte that belongs to it.
const (
	regLightEnable = 0x80 // bit 0: power, bit 1: measure
	regLightTime   = 0x81 // 256 minus the number of cycles
	regLightGain   = 0x8F // 0, 1, 2 and 3 are 1, 4, 16 and about 60
	regLightID     = 0x92
	regLightStatus = 0x93 // bit 0: a measurement is complete
	regLightClear  = 0x94 // the clear channel, low byte first

	lightOff, lightPower, lightMeasure = 0, 1, 3

	// 64 cycles are 154 or 178 ms, many periods of a lamp that flickers at 100 Hz. Gain 16 reaches from
	// less than a lux to about 600.
	lightCycles = 64
	lightGain   = 16

	// lightTime is longer than a measurement, with the time that the chip takes to wake.
	lightTime = 200 * time.Millisecond
)

// lightCycle is the length of a cycle in milliseconds for each ID of the two chips.
var lightCycle = map[byte]float64{0x44: 2.4, 0x4D: 2.4, 0x90: 2.78, 0x93: 2.78}

// LightSensor is the light sensor of a Sense HAT V2, a TCS3400 or TCS34725 at address 0x29 or 0x39 of
// the header's I²C bus. The methods of the zero value fail. A LightSensor is safe for concurrent use.
type LightSensor struct {
	sensor
	iio string // folder of the kernel's light sensors
}

// LightSensor returns the light sensor on this bus. If a kernel driver of industrial I/O has it, as
// tcs3472 does, the driver is asked instead.
func (i *I2C) LightSensor() *LightSensor {
	return &LightSensor{
		sensor: sensor{name: "light sensor", target: target{i2c: i, address: 0x29}},
		iio:    "/sys/bus/iio/devices",
	}
}

// Light returns how bright the room is, in steps of the clear channel for a millisecond at gain 1: by
// the datasheets about 0.05 for each lux of white light. The chip is on only for the reading, which
// takes a fifth of a second.
//
// Errors match [ErrPermission] or [ErrNotFound] if the bus cannot be opened, [ErrNotFound] if no such
// sensor answers, and [ErrGone] if the bus fails later.
func (l *LightSensor) Light() (light float64, err error) {
	if folder := l.driver(); folder != "" {
		return l.askDriver(folder)
	}
	err = l.reading(func() error {
		light, err = l.ask()
		return err
	})
	return light, err
}

func (l *LightSensor) ask() (light float64, err error) {
	cycle, err := l.identify()
	if err != nil {
		return 0, err
	}
	for _, set := range [][]byte{{regLightEnable, lightPower}, {regLightTime, 256 - lightCycles}, {regLightGain, 2}, {regLightEnable, lightMeasure}} {
		err = errors.Join(err, l.tx(set, nil))
	}
	time.Sleep(lightTime)
	var v [3]byte
	for i, reg := range []byte{regLightStatus, regLightClear, regLightClear + 1} {
		err = errors.Join(err, l.tx([]byte{reg}, v[i:i+1]))
	}
	if err == nil && v[0]&1 == 0 {
		err = goneError{errors.New("no measurement is complete")} // the chip was reset
	}
	if err = errors.Join(err, l.tx([]byte{regLightEnable, lightOff}, nil)); err != nil {
		return 0, ioFault("reading", l.name, err)
	}
	return (float64(v[1]) + 256*float64(v[2])) / (lightCycles * cycle * lightGain), nil
}

// identify finds the chip at one of its addresses, the last one first, and returns its cycle.
func (l *LightSensor) identify() (cycle float64, err error) {
	var id [1]byte
	for range 2 {
		if err = l.tx([]byte{regLightID}, id[:]); err == nil && lightCycle[id[0]] > 0 {
			return lightCycle[id[0]], nil
		}
		l.address = 0x29 + 0x39 - l.address
	}
	return 0, device.Fault(ErrNotFound, err, "no light sensor answers at 0x29 or 0x39 of the I²C bus: only a Sense HAT V2 has one")
}

// driver returns the folder of the kernel's driver for the sensor, or an empty string.
func (l *LightSensor) driver() string {
	names, _ := filepath.Glob(filepath.Join(l.iio, "iio:device*", "name"))
	for _, file := range names {
		if name, _ := os.ReadFile(file); strings.HasPrefix(string(name), "tcs34") {
			return filepath.Dir(file)
		}
	}
	return ""
}

// askDriver returns the mean of eight readings. The driver measures for only 2.4 ms, unless somebody
// has changed that: eight readings 11.25 ms apart fall on eight phases of a flicker of 100 Hz.
func (l *LightSensor) askDriver(folder string) (light float64, err error) {
	number := func(name string) float64 {
		text, e := os.ReadFile(filepath.Join(folder, name))
		v, bad := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
		if e = errors.Join(e, bad); e != nil {
			err = ioFault("reading", l.name, e)
		}
		return v
	}
	for range 8 {
		light += number("in_intensity_clear_raw") / 8
		time.Sleep(11250 * time.Microsecond)
	}
	scale := 1000 * number("in_intensity_integration_time") * number("in_intensity_calibscale")
	if err != nil || scale <= 0 {
		return 0, ioFault("reading", l.name, errors.Join(err, errors.New("the driver has no scale")))
	}
	return light / scale, nil
}
