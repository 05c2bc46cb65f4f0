package hat

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"
)

// The LSM9DS1's accelerometer and gyroscope on the bus, and their registers (ST, LSM9DS1 datasheet, chapter 6).
const (
	accelAddress = 0x6A

	regAccelCtrl   = 0x20 // CTRL_REG6_XL: rate in bits 5 to 7, range in bits 3 and 4
	regAccelValues = 0x28 // OUT_X_L_XL and the five after it

	accelOn = 2 << 5 // 50 times a second, ±2 g
	accelG  = 16393  // the reading for 1 g, in steps of 0.061 mg

	// accelWakes is longer than the chip takes to measure its first values.
	accelWakes = 100 * time.Millisecond
)

// Rotation returns the value for [Matrix.Rotate] with which the picture is upright: 0, 90, 180 or 270 degrees, by the
// HAT's accelerometer, an ST LSM9DS1 at address 0x6A. While the HAT lies flat or stands on a corner, and with an error,
// Rotation returns the last clear result, 0 at first. It switches the chip on, which takes 100 ms, and sets its range.
// The kernel may drive the matrix meanwhile, but no kernel driver may be bound to the accelerometer.
//
// Errors match [ErrPermission] or [ErrNotFound] if the bus cannot be opened, and [ErrGone] if nothing answers.
func (i *I2C) Rotation() (degrees int, err error) {
	var v [4]byte
	c, err := i.chip("accelerometer", accelAddress)
	if err == nil {
		defer c.bus.Close()
		err = c.tx([]byte{regAccelCtrl, accelOn}, nil)
	}
	if err == nil {
		time.Sleep(accelWakes)
		err = c.tx([]byte{regAccelValues}, v[:])
	}
	x, y := int16(binary.LittleEndian.Uint16(v[:])), int16(binary.LittleEndian.Uint16(v[2:]))
	if up, ok := upright(int(x), int(y)); ok && err == nil {
		i.up.Store(int32(up))
	}
	return int(i.up.Load()), err
}

// upright returns the rotation that makes the picture upright, by the readings of two axes. ok is false unless gravity
// is above 0.6 g along one axis and below 0.5 g along the other. If the HAT stands on a corner, the result is unclear
// within 15 degrees on either side; if it leans back, the result is clear up to 50 degrees.
//
// On a HAT in its usual orientation the chip's x axis points to the right and its y axis down, and an axis that points
// up reads +1 g. RTIMULib (RTIMULSM9DS1.cpp) inverts both signs, and python-sense-hat's users then read y = 1 when the
// picture is upright and x = -1 when its right edge is up. In the Raspberry Pi Foundation's marble maze the marble
// rolls to the left if the pitch (minus x) is positive, and down if the roll (y) is.
func upright(x, y int) (degrees int, ok bool) {
	for range 4 {
		if -y*10 > accelG*6 && max(x, -x)*2 < accelG {
			return degrees, true
		}
		x, y = y, -x // as a HAT reads that is turned back by 90 degrees
		degrees += 90
	}
	return 0, false
}

// The light sensor of a Sense HAT V2 is an ams TCS3400, the one of Astro Pi's HATs a TCS34725. The addresses of the
// registers are those on the bus, which are the same for both: the TCS34725 takes the highest bit for that of a command
// (ams, datasheets of the TCS3400, v1-01, and of the TCS3472, v1-02). Each byte is read for itself, because the chips
// read on in different ways; reading the low byte of the clear channel keeps the high byte that belongs to it.
const (
	regLightEnable = 0x80 // bit 0: power, bit 1: measure
	regLightTime   = 0x81 // 256 minus the number of cycles
	regLightGain   = 0x8F // 0, 1, 2 and 3 are 1, 4, 16 and about 60
	regLightID     = 0x92
	regLightClear  = 0x94 // the clear channel, low byte first

	// 64 cycles are many periods of a lamp that flickers at 100 Hz. Gain 16 reaches from less than a lux to about 600.
	lightCycles = 64
	lightCycle  = 2.78 // milliseconds; 2.4 for the TCS34725, which no eye notices
	lightGain   = 16

	// lightTime is longer than a measurement, with the time that the chip takes to wake.
	lightTime = 200 * time.Millisecond
)

// lightIDs are those of the two chips, which have two variants each.
var lightIDs = []byte{0x44, 0x4D, 0x90, 0x93}

// Light returns how bright the room is, by the light sensor of a Sense HAT V2, a TCS3400 or TCS34725 at address 0x29 or
// 0x39: in clear-channel counts per millisecond at gain 1, about 0.05 per lux of white light by the datasheets. The
// chip is on only for the reading, which takes a fifth of a second.
//
// Errors match [ErrPermission] or [ErrNotFound] if the bus cannot be opened, and [ErrNotFound] or [ErrGone] if no such
// sensor answers.
func (i *I2C) Light() (light float64, err error) {
	c, err := i.chip("light sensor", 0)
	if err != nil {
		return 0, err
	}
	defer c.bus.Close()
	for _, c.address = range []uint16{0x29, 0x39} {
		if id, _ := c.read(regLightID); slices.Contains(lightIDs, id) {
			return c.light()
		}
	}
	return 0, &Error{ErrNotFound, "no light sensor answers at 0x29 or 0x39", nil, "only a Sense HAT V2 has one"}
}

// light measures once.
func (c *chip) light() (float64, error) {
	var err error
	set := func(register, value byte) { err = cmp.Or(err, c.tx([]byte{register, value}, nil)) }
	get := func(register byte) float64 {
		value, failed := c.read(register)
		err = cmp.Or(err, failed)
		return float64(value)
	}
	set(regLightTime, 256-lightCycles)
	set(regLightGain, 2)
	set(regLightEnable, 3)
	time.Sleep(lightTime)
	counts := get(regLightClear) + 256*get(regLightClear+1)
	set(regLightEnable, 0)
	if err != nil {
		return 0, ioFault("reading", c.name, err)
	}
	return counts / (lightCycles * lightCycle * lightGain), nil
}
