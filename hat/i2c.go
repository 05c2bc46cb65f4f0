package hat

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"periph.io/x/conn/v3/i2c"
)

// The board's microcontroller on the bus (include/linux/mfd/rpisense/core.h of raspberrypi/linux): its address, and
// its registers. The LEDs have for each row 8 red, 8 green and 8 blue registers from 0 on, of 0 to 31.
const (
	boardAddress = 0x46

	regLEDs   = 0x00
	regWhoAmI = 0xF0
	regKeys   = 0xF2

	boardID = 's'

	// The highest bit of an answer may be wrong if the clock is stretched, as on the first Pis.
	sure = 0x7F
)

// I2C drives a Sense HAT without kernel drivers. The board is an ATtiny88 at address 0x46 of the header's I²C bus. The
// program opens the bus, with i2creg of periph.io for instance:
//
//	board := hat.I2C{Open: func() (i2c.BusCloser, error) { return i2creg.Open("") }}
//
// Transfers from several goroutines are made one at a time. An I2C must not be copied after its first use.
type I2C struct {
	// Device is the bus's device file, such as /dev/i2c-1. If it is set, nothing is sent while a kernel driver is
	// bound to the board: the transfers of the driver and of this package (I2C_RDWR) would mix unnoticed.
	Device string

	// Open opens the bus. Each matrix and joystick, and each reading of a sensor, opens the bus for itself, and closes
	// it.
	Open func() (i2c.BusCloser, error)

	sys    string     // "" for /sys
	mu     sync.Mutex // held during a transfer
	failed atomic.Uint64
	open   atomic.Int32
	dark   atomic.Bool  // an open matrix is dark
	up     atomic.Int32 // the last clear answer of Rotation
}

// InUse reports whether a Matrix or a Joystick is open on the bus.
func (i *I2C) InUse() bool { return i.open.Load() > 0 }

// ErrorCount returns how many transfers have failed so far, including those that succeeded when repeated.
func (i *I2C) ErrorCount() uint64 { return i.failed.Load() }

// Probe returns nil if a Sense HAT answers on the bus. Errors match [ErrGone] if nothing or another chip
// answers, and [ErrPermission] or [ErrNotFound] if the bus cannot be opened.
func (i *I2C) Probe() error {
	c, err := i.board()
	if err == nil {
		err = c.Close()
	}
	return err
}

// OpenMatrix opens the board's LEDs, which turns them off. Unlike the function [OpenMatrix], it does
// not check whether another program uses them. Errors match [ErrNotFound] if no Sense HAT answers, and
// [ErrPermission] or [ErrNotFound] if the bus cannot be opened.
func (i *I2C) OpenMatrix() (*Matrix, error) { return i.matrix(nil) }

// matrix opens the LEDs. Closing the Matrix closes the lock too, which may be nil. If matrix fails, the
// lock stays open.
func (i *I2C) matrix(lock io.Closer) (*Matrix, error) {
	c, err := i.board()
	if err != nil {
		return nil, err
	}
	m, err := NewMatrix(&leds{chip: c, lock: lock})
	if err != nil {
		c.Close()
	}
	return m, err
}

// leds is the screen of a [Matrix] that drives the board's LEDs.
type leds struct {
	*chip
	lock io.Closer
	out  [1 + 3*side*side]byte // the number of the first register, and the values
}

// WriteAt writes a frame that has the format of [NewMatrix], in one transfer of 193 bytes, which takes
// 17.5 ms at 100 kHz.
func (l *leds) WriteAt(p []byte, _ int64) (int, error) {
	dark := true
	l.out[0] = regLEDs
	for i := range side * side {
		pixel := binary.NativeEndian.Uint16(p[2*i:])
		dark = dark && pixel == 0
		row := l.out[1+i/side*3*side+i%side:]
		row[0] = gamma[pixel>>11]
		row[side] = gamma[pixel>>6&31] // the lowest of green's six bits is dropped
		row[2*side] = gamma[pixel&31]
	}
	if err := l.tx(l.out[:], nil); err != nil {
		return 0, err
	}
	l.dark.Store(dark)
	return len(p), nil
}

func (l *leds) Close() error {
	l.dark.Store(false)
	if l.lock != nil {
		defer l.lock.Close()
	}
	return l.chip.Close()
}

// OpenJoystick opens the board's keys, with the errors of [I2C.OpenMatrix]. It reads them
// 50 times a second or, while a matrix is open and has been dark for a second, 5 times.
func (i *I2C) OpenJoystick() (*Joystick, error) {
	c, err := i.board()
	if err != nil {
		return nil, err
	}
	k := &keypad{chip: c, stop: make(chan struct{})}
	if k.down, err = k.read(regKeys); err != nil {
		c.Close()
		return nil, err
	}
	return NewJoystick(k), nil
}

// keypad polls the board's keys, and returns what has changed as the kernel does.
type keypad struct {
	*chip
	stop    chan struct{}
	down    byte   // the keys' register as last read
	idle    int    // how often it was read since a key was down or the LEDs were lit
	repeats uint16 // the code of the key that was pressed last, or 0
	due     time.Time
}

const (
	// repeatDelay and repeatPeriod are the kernel's autorepeat (drivers/input/input.c,
	// input_enable_softrepeat) as observed for the HAT's joystick.
	repeatDelay  = 250 * time.Millisecond
	repeatPeriod = 40 * time.Millisecond

	// A press lasts longer than pollLit. When the LEDs have been dark for a second, which is more than a blink, a key
	// only wakes the HAT, and is held until that happens.
	pollLit  = 20 * time.Millisecond
	pollDark = 200 * time.Millisecond
	darkIdle = int(time.Second / pollLit)
)

// boardCodes are the codes of the keys in the key register's bits, from bit 0 (rpisense-js.c): down, right,
// up, middle, left.
var boardCodes = [5]uint16{108, 106, 103, 28, 105}

// Read reads the keys once, after a pause, and returns input_event records without a time. There may be none.
func (k *keypad) Read(p []byte) (int, error) {
	wait := pollLit
	if k.idle++; !k.dark.Load() || k.down != 0 {
		k.idle = 0
	} else if k.idle > darkIdle {
		wait = pollDark
	}
	select {
	case <-k.stop:
		return 0, os.ErrClosed
	case <-time.After(wait):
	}
	keys, err := k.read(regKeys)
	if err != nil {
		return 0, err
	}
	return len(k.report(p[:0], keys&sure, time.Now())), nil
}

// report appends records of the keys that have changed, or of the repeat of the key that was pressed
// last. As in the kernel, the repeat ends when any key is released.
func (k *keypad) report(p []byte, keys byte, now time.Time) []byte {
	changed := keys ^ k.down
	k.down = keys
	for bit, code := range boardCodes {
		if changed>>bit&1 == 0 {
			continue
		}
		k.repeats = 0
		if keys>>bit&1 == pressed {
			k.repeats, k.due = code, now.Add(repeatDelay)
		}
		p = appendKey(p, code, uint32(keys>>bit&1))
	}
	if k.repeats != 0 && !now.Before(k.due) {
		k.due = now.Add(repeatPeriod)
		p = appendKey(p, k.repeats, repeated)
	}
	return p
}

func appendKey(p []byte, code uint16, value uint32) []byte {
	p = append(p, make([]byte, recordSize-8)...)
	p = binary.NativeEndian.AppendUint16(p, evKey)
	p = binary.NativeEndian.AppendUint16(p, code)
	return binary.NativeEndian.AppendUint32(p, value)
}

// Close ends a blocked Read.
func (k *keypad) Close() error {
	close(k.stop)
	return k.chip.Close()
}

// chip is a chip of the HAT on an open bus.
type chip struct {
	*I2C
	name    string
	address uint16
	bus     i2c.BusCloser
}

func (i *I2C) chip(name string, address uint16) (*chip, error) {
	bus, err := i.Open()
	if err == nil {
		return &chip{i, name, address, bus}, nil
	}
	e := &Error{Kind: ErrNotFound, What: "cannot open the I²C bus " + i.Device, Err: err}
	switch {
	case errors.Is(err, fs.ErrPermission):
		e.Kind, e.Fix = ErrPermission, joinGroups
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
	if err == nil && id&sure != boardID {
		err = &Error{Kind: ErrGone, What: fmt.Sprintf("the ID of the chip is 0x%02x, not 0x%02x", id, boardID)}
	}
	if err != nil {
		c.bus.Close()
		return nil, &Error{ErrNotFound, "no Sense HAT at 0x46 " + c.Name(), err, "seat the HAT on all 40 pins"}
	}
	i.open.Add(1)
	return c, nil
}

// Close closes a board.
func (c *chip) Close() error {
	c.open.Add(-1)
	return c.bus.Close()
}

// Name returns the words that follow "matrix" or "joystick" in errors.
func (c *chip) Name() string { return "on the I²C bus " + cmp.Or(c.Device, c.bus.String()) }

// bound reports whether a kernel driver is bound to the chip: then the link to the driver exists
// (drivers/base/dd.c, driver_sysfs_add).
func (c *chip) bound() bool {
	client := fmt.Sprintf("%s-%04x", strings.TrimPrefix(filepath.Base(c.Device), "i2c-"), c.address)
	_, err := os.Lstat(filepath.Join(cmp.Or(c.sys, "/sys"), "bus/i2c/devices", client, "driver"))
	return c.Device != "" && err == nil
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
		if c.bound() {
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
