package hat

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"periph.io/x/conn/v3/gpio"
	"periph.io/x/conn/v3/i2c"
)

// The board's microcontroller on the bus (include/linux/mfd/rpisense/core.h of
// raspberrypi/linux): its address, and its registers beside those of the LEDs.
const (
	boardAddress = 0x46

	regWhoAmI = 0xF0
	regKeys   = 0xF2

	boardID = 's'
)

// I2C is the way to a Sense HAT that the kernel has no driver for: its board itself, an
// ATtiny88 at address 0x46 of the I²C bus of the pins, by the registers that the kernel's
// driver uses (include/linux/mfd/rpisense/core.h). What opens the bus and the interrupt
// line is the program's, see periph.io/x/host. It must not be copied after its first use.
//
// As [Opts.I2C] it is used where the kernel has no device of the HAT's name, and refused
// where a driver of the kernel's is bound to the board: transfers that this way makes
// (I2C_RDWR) would go in between the driver's without a word.
type I2C struct {
	// Device is the bus's file, such as /dev/i2c-1. It is looked for before Open is
	// called, and whoever drives a matrix holds an exclusive flock on it.
	Device string

	// Open opens the bus, which is closed with what it was opened for.
	Open func() (i2c.BusCloser, error)

	// Line is the board's interrupt line, GPIO23, if it can be had: it rises when a key
	// changes. A line with a method Close() is let go with it before Close of the Joystick
	// returns. Without one (Line or its result is nil) the keys are asked for.
	Line func() gpio.PinIn

	failed atomic.Uint64
	open   atomic.Int32
	keys   atomic.Pointer[keypad] // the open ones, if any
}

// InUse says whether a Matrix or a Joystick of this way is open.
func (i *I2C) InUse() bool { return i.open.Load() > 0 }

// ErrorCount is how many transfers have failed since the start, also those that were repeated with success.
func (i *I2C) ErrorCount() uint64 { return i.failed.Load() }

// OpenMatrix drives the LEDs of the board, without a look for other programs and drivers
// that do: for a bus that is not this machine's own. Errors match [ErrNotFound] where no
// Sense HAT answers.
func (i *I2C) OpenMatrix(o *Opts) (*Matrix, error) {
	return i.matrix(o, nil, nil)
}

// OpenJoystick reads the keys of the board, as OpenMatrix drives the LEDs.
func (i *I2C) OpenJoystick(o *Opts) (*Joystick, error) {
	return i.joystick(o, nil)
}

// board is a bus that is open, with a Sense HAT on it.
type board struct {
	i2c   *I2C
	bus   i2c.BusCloser
	taken func() bool // says whether the kernel drives the board by now; may be nil
}

// driver is the link that is there while a driver of the kernel's is bound to a chip
// (drivers/base/dd.c, driver_sysfs_add). sys is where the kernel shows its devices.
func (i *I2C) driver(sys string, address uint16) string {
	bus := strings.TrimPrefix(filepath.Base(i.Device), "i2c-")
	return filepath.Join(sys, "bus/i2c/devices", fmt.Sprintf("%s-%04x", bus, address), "driver")
}

// bus opens the bus.
func (i *I2C) bus() (i2c.BusCloser, error) {
	bus, err := i.Open()
	if err == nil {
		return bus, nil
	}
	text := fmt.Sprintf("cannot open the I²C bus %s: %s", i.Device, reason(err))
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, &fault{text + ": join its group with \"sudo usermod -aG i2c $USER\" and log in again", ErrPermission, err}
	case errors.Is(err, fs.ErrNotExist):
		text += ": switch it on with \"sudo raspi-config nonint do_i2c 0\""
	}
	return nil, &fault{text, ErrNotFound, err}
}

// board opens the bus and asks who is there.
func (i *I2C) board(taken func() bool) (*board, error) {
	bus, err := i.bus()
	if err != nil {
		return nil, err
	}
	b := &board{i, bus, taken}
	var id [1]byte
	err = b.tx([]byte{regWhoAmI}, id[:])
	switch {
	case err != nil:
		err = &fault{fmt.Sprintf("nothing answers at 0x%x of the I²C bus %v"+reseat, boardAddress, b), ErrNotFound, errors.Unwrap(err)}
	case id[0]&0x7F != boardID:
		err = &fault{fmt.Sprintf("what answers at 0x%x of the I²C bus %v is no Sense HAT: it calls itself 0x%02x, not 0x%02x", boardAddress, b, id[0], boardID), ErrNotFound, nil}
	default:
		i.open.Add(1)
		return b, nil
	}
	bus.Close() // err says more
	return nil, err
}

const reseat = ": seat the HAT on all 40 pins"

func (b *board) close() error {
	b.i2c.open.Add(-1)
	return b.bus.Close()
}

// String names the bus.
func (b *board) String() string {
	if b.i2c.Device != "" {
		return b.i2c.Device
	}
	return b.bus.String()
}

// Name is what errors call a device of the board's.
func (b *board) Name() string { return "on the I²C bus " + b.String() }

// tries is how often a transfer is made before the chip counts as gone, with a pause
// between two that doubles from pause on: 30 ms in all. A glitch, or a board that is busy
// with its LEDs, is over by then; a board that was pulled off is not.
const (
	tries = 5
	pause = 2 * time.Millisecond
)

// tx makes one transfer.
func (b *board) tx(w, r []byte) error { return b.i2c.tx(b.bus, boardAddress, w, r, b.taken) }

// tx makes one transfer with a chip, unless the kernel has taken it. It never gives
// anything but success or a chip that is gone.
func (i *I2C) tx(bus i2c.Bus, address uint16, w, r []byte, taken func() bool) (err error) {
	for try := range tries {
		if try > 0 {
			time.Sleep(pause << (try - 1))
		}
		if taken != nil && taken() {
			return goneError{errors.New("the kernel's driver has it now")}
		}
		if err = bus.Tx(address, w, r); err == nil {
			return nil
		}
		i.failed.Add(1)
	}
	return goneError{err}
}

// goneError is a failure of the bus that lasts. That the HAT was pulled off is told by
// nothing else, and errors of periph.io have lost the system's number.
type goneError struct{ error }

func (e goneError) Is(target error) bool { return target == ErrGone }
func (e goneError) Error() string        { return strings.TrimPrefix(e.error.Error(), "sysfs-i2c: ") }
func (e goneError) Unwrap() error        { return e.error }
