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

	"github.com/c4hat/c4hat/hat/internal/device"
	"periph.io/x/conn/v3"
	"periph.io/x/conn/v3/gpio"
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

var _ conn.Resource = (*I2C)(nil)

// I2C drives a Sense HAT without a kernel driver. The board is an ATtiny88 at address 0x46 of the
// header's I²C bus. The program opens the bus and the interrupt line, with periph.io/x/host for
// instance. An I2C must not be copied after its first use.
//
// [NewI2C] makes an I2C from an open bus. For [Opts.I2C], fill in the fields instead. With Opts.I2C
// the bus is opened only if the kernel has no device of the HAT's name and no kernel driver is
// bound to the board: the transfers of the driver and of this package (I2C_RDWR) would mix unnoticed.
type I2C struct {
	// Device is the bus's device file, such as /dev/i2c-1. With [Opts.I2C] the file must exist
	// before Open is called, and an open matrix holds an exclusive flock on it.
	Device string

	// Open opens the bus. Each matrix, joystick and accelerometer opens the bus for itself, and
	// closes it.
	Open func() (i2c.BusCloser, error)

	// Interrupt returns the board's interrupt line, GPIO23, which rises when a key changes. If the
	// line has a method Close(), closing the Joystick calls it. If Interrupt or its result is nil,
	// the keys are polled.
	Interrupt func() gpio.PinIn

	name   string // of the bus, if NewI2C returned this I2C
	failed atomic.Uint64
	open   atomic.Int32
	lit    atomic.Pointer[Matrix] // the matrix that was opened last, if any
	keys   atomic.Pointer[keypad] // the keys of the open joystick, if any
}

// I2COpts holds the options of [NewI2C].
type I2COpts struct {
	// Interrupt is the pin of the board's interrupt line: gpioreg.ByName("GPIO23"). The caller closes
	// it. If Interrupt is nil, the keys are polled: 50 times a second for a minute after the last
	// press or release, and 10 times a second after that.
	Interrupt gpio.PinIn
}

// NewI2C returns the Sense HAT on an open bus, which the caller closes after the Matrix and the
// Joystick. A nil o is the zero I2COpts. Transfers from several goroutines are made one at a time.
// NewI2C does not check whether a kernel driver or another program uses the board. Errors match
// [ErrNotFound] if no Sense HAT answers.
func NewI2C(bus i2c.Bus, o *I2COpts) (*I2C, error) {
	i := &I2C{}
	if bus != nil {
		i.name = bus.String()
		shared := &borrowed{Bus: bus}
		i.Open = func() (i2c.BusCloser, error) { return shared, nil }
	}
	if o != nil && o.Interrupt != nil {
		i.Interrupt = func() gpio.PinIn { return struct{ gpio.PinIn }{o.Interrupt} } // without its Close
	}
	b, err := i.board(nil)
	if err != nil {
		return nil, err
	}
	return i, b.close()
}

// borrowed is a bus that its owner closes. Matrix, joystick and accelerometer share it.
type borrowed struct {
	i2c.Bus
	mu sync.Mutex
}

func (b *borrowed) Tx(address uint16, w, r []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Bus.Tx(address, w, r)
}

func (*borrowed) Close() error { return nil }

// MaxTxSize implements conn.Limits; 0 means no limit.
func (b *borrowed) MaxTxSize() int {
	if l, ok := b.Bus.(conn.Limits); ok {
		return l.MaxTxSize()
	}
	return 0
}

// InUse reports whether a Matrix or a Joystick is open on the bus.
func (i *I2C) InUse() bool { return i.open.Load() > 0 }

// ErrorCount returns how many transfers have failed so far, including those that succeeded
// when repeated.
func (i *I2C) ErrorCount() uint64 { return i.failed.Load() }

// String names the bus, for logs.
func (i *I2C) String() string {
	return "Sense HAT on the I²C bus " + cmp.Or(i.Device, i.name, "that was never opened")
}

// Halt turns off all LEDs, whether a Matrix is open or not. It implements conn.Resource. The I2C
// and an open Matrix stay usable. Errors are those of [I2C.OpenMatrix] and [Matrix.Halt].
func (i *I2C) Halt() error {
	if m := i.lit.Load(); m != nil {
		if err := m.Halt(); !errors.Is(err, os.ErrClosed) {
			return err
		}
	}
	m, err := i.OpenMatrix(nil) // which turns off the LEDs
	if err != nil {
		return err
	}
	return m.Close()
}

// OpenMatrix opens the board's LEDs. Unlike the function [OpenMatrix], it does not check whether a
// kernel driver or another program uses them. Only o.Rotate is used. Errors match [ErrNotFound] if
// no Sense HAT answers.
func (i *I2C) OpenMatrix(o *Opts) (*Matrix, error) {
	return i.matrix(o, nil, watch{})
}

// OpenJoystick opens the board's keys, with the options, checks and errors of [I2C.OpenMatrix].
// Only one Joystick may be open at a time.
func (i *I2C) OpenJoystick(o *Opts) (*Joystick, error) {
	return i.joystick(o, watch{})
}

// target is a chip on the bus. The name is that of the I²C specification.
type target struct {
	i2c     *I2C
	bus     i2c.BusCloser // nil: not open
	address uint16
	taken   func() bool // reports whether a kernel driver is bound to the chip; may be nil
}

// board is the Sense HAT's board on an open bus.
type board struct{ target }

// driver returns the path of the link that exists while a kernel driver is bound to a chip
// (drivers/base/dd.c, driver_sysfs_add). sys is the root of sysfs.
func (i *I2C) driver(sys string, address uint16) string {
	bus := strings.TrimPrefix(filepath.Base(i.Device), "i2c-")
	return filepath.Join(sys, "bus/i2c/devices", fmt.Sprintf("%s-%04x", bus, address), "driver")
}

func (i *I2C) bus() (i2c.BusCloser, error) {
	if i.Open == nil {
		return nil, device.Fault(nil, nil, "no I²C bus: use NewI2C or set I2C.Open")
	}
	bus, err := i.Open()
	if err == nil {
		return bus, nil
	}
	kind, advice := ErrNotFound, ""
	switch {
	case errors.Is(err, fs.ErrPermission):
		kind, advice = ErrPermission, ": join its group with \"sudo usermod -aG i2c $USER\" and log in again"
	case errors.Is(err, fs.ErrNotExist):
		advice = ": switch it on with \"sudo raspi-config nonint do_i2c 0\""
	}
	return nil, device.Fault(kind, err, "cannot open the I²C bus %s: %s%s", i.Device, device.Reason(err), advice)
}

// board opens the bus and checks the board's ID.
func (i *I2C) board(taken func() bool) (*board, error) {
	bus, err := i.bus()
	if err != nil {
		return nil, err
	}
	b := &board{target{i, bus, boardAddress, taken}}
	switch id, err := b.identify(); {
	case err != nil:
		bus.Close()
		return nil, device.Fault(ErrNotFound, errors.Unwrap(err), "nothing answers at 0x%x of the I²C bus %v"+reseat, boardAddress, b)
	case id&0x7F != boardID:
		bus.Close()
		return nil, device.Fault(ErrNotFound, nil, "the chip at 0x%x of the I²C bus %v is not a Sense HAT (ID 0x%02x, not 0x%02x)", boardAddress, b, id, boardID)
	}
	i.open.Add(1)
	return b, nil
}

// identify reads the who-am-I register. Its highest bit may be wrong if the clock is stretched.
func (b *board) identify() (byte, error) {
	var id [1]byte
	err := b.tx([]byte{regWhoAmI}, id[:])
	return id[0], err
}

const reseat = ": seat the HAT on all 40 pins"

func (b *board) close() error {
	b.i2c.open.Add(-1)
	return b.bus.Close()
}

func (b *board) String() string {
	return cmp.Or(b.i2c.Device, b.bus.String())
}

// Name returns the words that follow "matrix" or "joystick" in errors.
func (b *board) Name() string { return "on the I²C bus " + b.String() }

// Probe reports whether the board at the Sense HAT's address is a Sense HAT, by its who-am-I
// register. While a kernel driver is bound to the board, Probe may disturb its transfers. Errors match
// [ErrPermission] or [ErrNotFound] if the bus cannot be opened, and [ErrGone] if nothing answers.
func (i *I2C) Probe() (ok bool, err error) {
	bus, err := i.bus()
	if err != nil {
		return false, err
	}
	defer bus.Close()
	id, err := (&board{target{i, bus, boardAddress, nil}}).identify()
	if err != nil {
		return false, device.Fault(ErrGone, err, "nothing answers at 0x%x of the I²C bus %s"+reseat, boardAddress, i.Device)
	}
	return id&0x7F == boardID, nil
}

// tries is how often a transfer is tried before the chip counts as disconnected. pause is the first
// pause between two tries; each further pause is twice as long as the one before. After 30 ms in
// all a glitch is over, and a board that was busy with its LEDs answers.
const (
	tries = 5
	pause = 2 * time.Millisecond
)

// tx makes one transfer, unless a kernel driver is bound to the chip. All its errors are
// goneErrors.
func (t *target) tx(w, r []byte) (err error) {
	for try := range tries {
		if try > 0 {
			time.Sleep(pause << (try - 1))
		}
		if t.taken != nil && t.taken() {
			return goneError{errors.New("a kernel driver has taken it")}
		}
		if err = t.bus.Tx(t.address, w, r); err == nil {
			return nil
		}
		t.i2c.failed.Add(1)
	}
	return goneError{err}
}

// goneError is a lasting failure of the bus. It matches ErrGone because nothing else shows that the
// HAT was unplugged: periph.io's errors do not contain the errno.
type goneError struct{ error }

func (e goneError) Is(target error) bool { return target == ErrGone }
func (e goneError) Error() string        { return strings.TrimPrefix(e.error.Error(), "sysfs-i2c: ") }
func (e goneError) Unwrap() error        { return e.error }
