package hat

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"periph.io/x/conn/v3/i2c"
)

// The LSM9DS1's accelerometer and gyroscope on the bus, and their registers (ST,
// LSM9DS1 datasheet, chapter 6).
const (
	accelAddress = 0x6A

	regAccelID     = 0x0F // WHO_AM_I
	regAccelCtrl   = 0x20 // CTRL_REG6_XL: rate in bits 5 to 7, range in bits 3 and 4
	regAccelValues = 0x28 // OUT_X_L_XL and the five after it

	accelID = 0x68
	accelOn = 2 << 5 // 50 times a second, ±2 g

	// accelWakes is how long its first values take, and more.
	accelWakes = 100 * time.Millisecond
)

// Accelerometer is the HAT's, an LSM9DS1 of ST at address 0x6A, which says which way is
// up. It is on the I²C bus of the pins, whoever drives the matrix. Its methods may be called from several goroutines.
type Accelerometer struct {
	i2c   *I2C
	taken func() bool // says whether the kernel drives it

	mu  sync.Mutex
	bus i2c.BusCloser // nil: not open
	up  int
}

// Accelerometer is the one on this bus, which is opened when it is first read, and then
// stays open until it fails or [Accelerometer.Close]. Where a driver of the kernel's is
// bound to it, it is not read.
func (i *I2C) Accelerometer() *Accelerometer {
	driver := i.driver("/sys", accelAddress)
	return &Accelerometer{i2c: i, taken: func() bool {
		_, err := os.Lstat(driver)
		return err == nil
	}}
}

// Rotation is how far a picture has to be turned to stand upright, 0, 90, 180 or 270 degrees
// clockwise, as [Opts].Rotate. A HAT that
// lies flat, or stands on none of its edges but near a corner, is as it was before: 0 at
// first. An accelerometer that is off is switched on, which takes a tenth of a second; one
// that another program uses is left as it is.
//
// Errors match [ErrNotFound] where no such chip answers, else they are the bus's.
func (a *Accelerometer) Rotation() (degrees int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if degrees, err = a.ask(); err != nil {
		_ = a.close() // err says more; a bus that was taken away and came back is another one
	}
	return degrees, err
}

// Close closes the bus. Up opens it anew.
func (a *Accelerometer) Close() error {
	if a.i2c == nil {
		return errUnopened("accelerometer")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.close()
}

// String names the chip, for logs.
func (a *Accelerometer) String() string { return "Sense HAT accelerometer" }

func (a *Accelerometer) close() error {
	if a.bus == nil {
		return nil
	}
	err := a.bus.Close()
	a.bus = nil
	if err != nil {
		return ioFault("closing", "accelerometer", err)
	}
	return nil
}

// ask is Rotation with mu held.
func (a *Accelerometer) ask() (degrees int, err error) {
	if a.i2c == nil {
		return 0, errUnopened("accelerometer")
	}
	if a.taken() {
		return 0, &fault{"a kernel driver uses the accelerometer", ErrBusy, nil}
	}
	if a.bus == nil {
		if a.bus, err = a.i2c.bus(); err != nil {
			a.bus = nil
			return 0, err
		}
	}
	var id, ctrl [1]byte
	if err := a.tx([]byte{regAccelID}, id[:]); err != nil {
		return 0, &fault{fmt.Sprintf("no accelerometer answers at 0x%x of the I²C bus: %s", accelAddress, reason(err)), ErrNotFound, errors.Unwrap(err)}
	}
	if id[0] != accelID {
		return 0, &fault{fmt.Sprintf("the chip at 0x%x of the I²C bus is not an LSM9DS1 (ID 0x%02x, not 0x%02x)", accelAddress, id[0], accelID), ErrNotFound, nil}
	}
	err = a.tx([]byte{regAccelCtrl}, ctrl[:])
	if err == nil && ctrl[0]>>5 == 0 { // off, as after power-up
		ctrl[0] = accelOn
		err = a.tx([]byte{regAccelCtrl, accelOn}, nil)
		time.Sleep(accelWakes)
	}
	var v [6]byte
	if err == nil {
		err = a.tx([]byte{regAccelValues}, v[:])
	}
	if err != nil {
		return 0, ioFault("reading", "accelerometer", err)
	}
	g := perG(ctrl[0])
	x, y := int(int16(uint16(v[1])<<8|uint16(v[0]))), int(int16(uint16(v[3])<<8|uint16(v[2])))
	if up, ok := upright(x, y, g); ok {
		a.up = up
	}
	return a.up, nil
}

func (a *Accelerometer) tx(w, r []byte) error { return a.i2c.tx(a.bus, accelAddress, w, r, a.taken) }

// perG is what 1 g reads, by the range that is set: 0.061, 0.732, 0.122 or 0.244 mg a
// step.
func perG(ctrl byte) int {
	return [4]int{16393, 1366, 8197, 4098}[ctrl>>3&3]
}

// upright is the turn that makes the picture stand upright, where one is clear: gravity
// pulls along one axis with more than 0.6 g, and with less than 0.5 g along the other. So
// there are 30 degrees between two edges in which nothing changes, and a HAT that leans
// back as far as 50 degrees still counts as standing.
//
// On the HAT in its usual orientation the chip's x axis points to the right and its y axis
// down (an LSM9DS1's axes are left-handed), and what it reads is up rather than down.
// That follows from two sources which agree: RTIMULib (RTIMULSM9DS1.cpp) turns both signs
// around, after which python-sense-hat's users read y = 1 where the picture stands upright
// and x = -1 where its right edge is up; and in the Raspberry Pi Foundation's marble maze
// the marble rolls to the left where the pitch, which is minus x, is positive, and down
// where the roll, which is y, is.
func upright(x, y, g int) (degrees int, ok bool) {
	clear := func(along, across int) bool {
		return along*10 > g*6 && max(across, -across)*2 < g
	}
	switch {
	case clear(-y, x):
		return 0, true
	case clear(x, y):
		return 90, true
	case clear(y, x):
		return 180, true
	case clear(-x, y):
		return 270, true
	}
	return 0, false
}
