package hat

import (
	"cmp"
	"encoding/binary"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/c4hat/c4hat/hat/internal/device"
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

	// accelWakes is longer than the chip takes to measure its first values.
	accelWakes = 100 * time.Millisecond
)

// Accelerometer is the HAT's accelerometer, an ST LSM9DS1 at address 0x6A of the header's I²C bus.
// The methods of the zero value fail. An Accelerometer is safe for concurrent use.
type Accelerometer struct {
	sensor
	up int // the last clear result, in degrees
}

// sensor is a chip of the HAT that is not the board itself.
type sensor struct {
	name string
	mu   sync.Mutex
	target
}

// Accelerometer returns the accelerometer on this bus. It may be read while the kernel drives the
// matrix, but not while a kernel driver is bound to the accelerometer. The first reading opens the
// bus, which stays open until a reading fails or [Accelerometer.Close] is called.
func (i *I2C) Accelerometer() *Accelerometer {
	driver := i.driver("/sys", accelAddress)
	return &Accelerometer{sensor: sensor{name: "accelerometer", target: target{i2c: i, address: accelAddress, taken: func() bool {
		_, err := os.Lstat(driver)
		return err == nil
	}}}}
}

// Rotation returns the value of [Opts].Rotate with which the picture is upright: 0, 90, 180 or 270
// degrees. While the HAT lies flat or stands on a corner, Rotation returns the last clear result, 0
// at first. If the chip is off, Rotation switches it on, which takes 100 ms; a chip that is on
// keeps its settings.
//
// Errors match [ErrPermission] or [ErrNotFound] if the bus cannot be opened, [ErrNotFound] if no
// LSM9DS1 answers, [ErrBusy] if a kernel driver is bound to it, and [ErrGone] if the bus fails
// later.
func (a *Accelerometer) Rotation() (degrees int, err error) {
	err = a.reading(func() error {
		degrees, err = a.ask()
		return err
	})
	return degrees, err
}

// Close closes the bus. The next reading opens it again.
func (s *sensor) Close() error {
	if s.i2c == nil {
		return errUnopened("sensor")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.close()
}

// String names the chip, for logs.
func (s *sensor) String() string {
	return "Sense HAT " + cmp.Or(s.name, "sensor that was never opened")
}

func (s *sensor) close() error {
	if s.bus == nil {
		return nil
	}
	err := s.bus.Close()
	s.bus = nil
	if err != nil {
		return ioFault("closing", s.name, err)
	}
	return nil
}

// reading calls ask with the bus open. After an error the next reading opens the bus again.
func (s *sensor) reading(ask func() error) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.i2c == nil:
		err = errUnopened("sensor")
	case s.taken != nil && s.taken():
		err = device.Fault(ErrBusy, nil, "a kernel driver uses the %s", s.name)
	case s.bus == nil:
		s.bus, err = s.i2c.bus()
	}
	if err == nil {
		err = ask()
	}
	if err != nil {
		_ = s.close()
	}
	return err
}

func (a *Accelerometer) ask() (degrees int, err error) {
	var id, ctrl [1]byte
	if err := a.tx([]byte{regAccelID}, id[:]); err != nil {
		return 0, device.Fault(ErrNotFound, errors.Unwrap(err), "no accelerometer answers at 0x%x of the I²C bus: %s", accelAddress, device.Reason(err))
	}
	if id[0] != accelID {
		return 0, device.Fault(ErrNotFound, nil, "the chip at 0x%x of the I²C bus is not an LSM9DS1 (ID 0x%02x, not 0x%02x)", accelAddress, id[0], accelID)
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
	x, y := int(int16(binary.LittleEndian.Uint16(v[:]))), int(int16(binary.LittleEndian.Uint16(v[2:])))
	if up, ok := upright(x, y, g); ok {
		a.up = up
	}
	return a.up, nil
}

// perG returns the reading for 1 g at the range that ctrl sets: a step of the reading is 0.061,
// 0.732, 0.122 or 0.244 mg.
func perG(ctrl byte) int {
	return [4]int{16393, 1366, 8197, 4098}[ctrl>>3&3]
}

// upright returns the rotation that makes the picture upright. x and y are the readings of two
// axes, g is the reading for 1 g. ok is false unless gravity is above 0.6 g along one axis and
// below 0.5 g along the other. If the HAT stands on a corner, the result is unclear within 15
// degrees on either side; if it leans back, the result is clear up to 50 degrees.
//
// On a HAT in its usual orientation the chip's x axis points to the right and its y axis down, and an
// axis that points up reads +1 g. RTIMULib (RTIMULSM9DS1.cpp) inverts both signs, and
// python-sense-hat's users then read y = 1 when the picture is upright and x = -1 when its right edge
// is up. In the Raspberry Pi Foundation's marble maze the marble rolls to the left if the pitch (minus
// x) is positive, and down if the roll (y) is.
func upright(x, y, g int) (degrees int, ok bool) {
	for range 4 {
		if -y*10 > g*6 && max(x, -x)*2 < g {
			return degrees, true
		}
		x, y = y, -x // as a HAT reads that is turned back by 90 degrees
		degrees += 90
	}
	return 0, false
}
