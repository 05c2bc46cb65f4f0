package hat

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"periph.io/x/conn/v3/i2c"
)

// The board's microcontroller on the bus (include/linux/mfd/rpisense/core.h of raspberrypi/linux):
// its address, and its registers other than those of the LEDs.
const (
	boardAddress = 0x46

	regWhoAmI = 0xF0
	regKeys   = 0xF2

	boardID = 's'
)

// I2C drives a Sense HAT without kernel drivers. The board is an ATtiny88 at address 0x46 of the
// header's I²C bus. The program opens the bus, with periph.io/x/host for instance. An I2C must not be
// copied after its first use.
//
// [NewI2C] makes an I2C from an open bus. For [Opts.I2C], fill in the fields instead.
type I2C struct {
	// Device is the bus's device file, such as /dev/i2c-1. If it is set, nothing is sent while a
	// kernel driver is bound to the board: the transfers of the driver and of this package (I2C_RDWR)
	// would mix unnoticed.
	Device string

	// Open opens the bus. Each matrix and joystick, and each reading of a sensor, opens the bus for
	// itself, and closes it.
	Open func() (i2c.BusCloser, error)

	sys    string     // "" for /sys
	mu     sync.Mutex // held during a transfer
	failed atomic.Uint64
	open   atomic.Int32
	dark   atomic.Int64 // since when an open matrix is dark, in Unix nanoseconds; 0: it is not
	up     atomic.Int32 // the last clear answer of Rotation
}

// NewI2C returns the Sense HAT on an open bus, which the caller closes after the Matrix and the
// Joystick. Transfers from several goroutines are made one at a time.
func NewI2C(bus i2c.Bus) *I2C {
	return &I2C{Open: func() (i2c.BusCloser, error) { return borrowed{bus}, nil }}
}

// borrowed is a bus that its owner closes.
type borrowed struct{ i2c.Bus }

func (borrowed) Close() error { return nil }

// InUse reports whether a Matrix or a Joystick is open on the bus.
func (i *I2C) InUse() bool { return i.open.Load() > 0 }

// ErrorCount returns how many transfers have failed so far, including those that succeeded
// when repeated.
func (i *I2C) ErrorCount() uint64 { return i.failed.Load() }

// OpenMatrix opens the board's LEDs, which turns them off. Unlike the function [OpenMatrix], it does
// not check whether another program uses them. Only o.Rotate is used. Errors match [ErrNotFound] if
// no Sense HAT answers, and [ErrPermission] or [ErrNotFound] if the bus cannot be opened.
func (i *I2C) OpenMatrix(o *Opts) (*Matrix, error) { return i.matrix(o, nil) }

// Probe reports whether the board at the Sense HAT's address is a Sense HAT, by its who-am-I
// register. Errors match [ErrPermission] or [ErrNotFound] if the bus cannot be opened, and [ErrGone]
// if nothing answers.
func (i *I2C) Probe() (ok bool, err error) {
	c, err := i.chip("Sense HAT", boardAddress)
	if err != nil {
		return false, err
	}
	defer c.bus.Close()
	id, err := c.read(regWhoAmI)
	// The highest bit may be wrong if the clock is stretched, as on the first Pis.
	return id&0x7F == boardID, err
}

// chip is a chip of the HAT on an open bus.
type chip struct {
	*I2C
	name    string
	address uint16
	bus     i2c.BusCloser
}

func (i *I2C) chip(name string, address uint16) (*chip, error) {
	if i.Open == nil {
		return nil, &Error{What: "no I²C bus", Fix: "use NewI2C or set I2C.Open"}
	}
	bus, err := i.Open()
	if err == nil {
		return &chip{i, name, address, bus}, nil
	}
	e := &Error{Kind: ErrNotFound, What: "cannot open the I²C bus " + i.Device, Err: err}
	switch {
	case errors.Is(err, fs.ErrPermission):
		e.Kind, e.Fix = ErrPermission, "join its group with \"sudo usermod -aG i2c $USER\" and log in again"
	case errors.Is(err, fs.ErrNotExist):
		e.Fix = "switch it on with \"sudo raspi-config nonint do_i2c 0\""
	}
	return nil, e
}

// board opens the bus and checks the board's ID. Call the chip's Close.
func (i *I2C) board() (*chip, error) {
	c, err := i.chip("Sense HAT", boardAddress)
	if err != nil {
		return nil, err
	}
	id, err := c.read(regWhoAmI)
	if err != nil || id&0x7F != boardID {
		c.bus.Close()
		e := &Error{Kind: ErrNotFound, What: "no Sense HAT answers at 0x46 of the I²C bus " + c.at(), Fix: "seat the HAT on all 40 pins"}
		if err == nil {
			e.Err = fmt.Errorf("the ID of the chip is 0x%02x, not 0x%02x", id, boardID)
		}
		return nil, e
	}
	i.open.Add(1)
	return c, nil
}

// Close closes a board.
func (c *chip) Close() error {
	c.open.Add(-1)
	return c.bus.Close()
}

func (c *chip) at() string { return cmp.Or(c.Device, c.bus.String()) }

// Name returns the words that follow "matrix" or "joystick" in errors.
func (c *chip) Name() string { return "on the I²C bus " + c.at() }

// bound reports whether a kernel driver is bound to a chip: then the link to the driver exists
// (drivers/base/dd.c, driver_sysfs_add).
func (i *I2C) bound(address uint16) bool {
	if i.Device == "" {
		return false
	}
	client := fmt.Sprintf("%s-%04x", strings.TrimPrefix(filepath.Base(i.Device), "i2c-"), address)
	_, err := os.Lstat(filepath.Join(cmp.Or(i.sys, "/sys"), "bus/i2c/devices", client, "driver"))
	return err == nil
}

// A transfer is tried so often, with a pause between two tries, before the chip counts as
// disconnected. After 30 ms in all a glitch is over, and a board that was busy with its LEDs answers.
const (
	tries = 7
	pause = 5 * time.Millisecond
)

// tx makes one transfer, unless a kernel driver is bound to the chip. Its errors match ErrGone: nothing
// else shows that the HAT was unplugged, because periph.io's errors do not contain the errno.
func (c *chip) tx(w, r []byte) (err error) {
	for try := range tries {
		if try > 0 {
			time.Sleep(pause)
		}
		if c.bound(c.address) {
			return &Error{ErrGone, "a kernel driver uses the " + c.name, nil, ""}
		}
		c.mu.Lock()
		err = c.bus.Tx(c.address, w, r)
		c.mu.Unlock()
		if err == nil {
			return nil
		}
		c.failed.Add(1)
	}
	return &Error{ErrGone, "the " + c.name + " does not answer", err, ""}
}

// read reads a register.
func (c *chip) read(register byte) (byte, error) {
	var value [1]byte
	err := c.tx([]byte{register}, value[:])
	return value[0], err
}
