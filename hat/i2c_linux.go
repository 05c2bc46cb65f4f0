package hat

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unsafe"

	"github.com/c4hat/c4hat/hat/internal/device"
	"golang.org/x/sys/unix"
)

func busPart() part {
	return part{what: "Sense HAT on the I²C bus", kind: "I²C bus", article: "an", group: "i2c"}
}

// boardMatrix drives the board directly if the kernel has no matrix. given is the matrix's path in
// the options, and missing is the error that opening the kernel's matrix returned.
func (c *claim) boardMatrix(o *Opts, given string, missing error) (*Matrix, error) {
	if err := c.openBus(o, given, missing); err != nil {
		return nil, err
	}
	// The only lock is on the bus's file: the process that has the matrix has the whole board.
	if err := c.bus.own(busPart(), o.I2C.Device); err != nil {
		return nil, err
	}
	m, err := o.I2C.matrix(o, c.bus.node, c.watch(o.I2C))
	if err != nil {
		return nil, c.noBoard(missing, err)
	}
	c.bus.take()
	return m, nil
}

// boardJoystick reads the board's keys directly if the kernel has no joystick.
func (c *claim) boardJoystick(o *Opts, given string, missing error) (*Joystick, error) {
	if err := c.openBus(o, given, missing); err != nil {
		return nil, err
	}
	c.bus.drop()
	s, err := o.I2C.joystick(o, c.watch(o.I2C))
	if err != nil {
		return nil, c.noBoard(missing, err)
	}
	return s, nil
}

// openBus opens the bus's file in c.bus, or says why the board must not be driven directly: the
// options do not ask for it, the kernel has a framebuffer for the board, or a kernel driver is bound
// to it.
func (c *claim) openBus(o *Opts, given string, missing error) error {
	c.silent = false
	i := o.orZero().I2C
	if i == nil || i.Device == "" || given != "" || !errors.Is(missing, ErrNotFound) {
		return missing
	}
	if _, err := c.find(matrixPart()); err == nil {
		return missing
	}
	if c.watch(i).taken() {
		return also(missing, missing, "not driven over %s: a kernel driver is bound to the board", i.Device)
	}
	p := busPart()
	_, err := c.bus.open(p, i.Device, func(m fs.FileMode) (int, bool) { return os.O_RDWR, m&fs.ModeDir == 0 })
	switch {
	case errors.Is(err, ErrNotFound):
		return missing // it says what to do
	case errors.Is(err, ErrPermission):
		return also(missing, missing, "no permission to open %s to drive the board directly: join its group with \"sudo usermod -aG %s $USER\" and log in again", i.Device, p.group)
	}
	return err
}

// noBoard adds the reason why the board cannot be driven to the error of the missing device.
func (c *claim) noBoard(missing, err error) error {
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	c.silent = true
	return also(missing, err, "%s", strings.TrimSuffix(strings.TrimPrefix(err.Error(), "hat: "), reseat)) // missing already says it
}

// also adds a text to the error of the missing device.
func also(missing, cause error, format string, args ...any) error {
	return device.Fault(ErrNotFound, cause, "%s; %s", strings.TrimPrefix(missing.Error(), "hat: "), fmt.Sprintf(format, args...))
}

// watch returns a watch that notices when the kernel takes over the board.
func (s system) watch(i *I2C) watch {
	// The link is checked before every transfer. Its path is converted for the kernel only once, so
	// a check allocates nothing.
	link := append([]byte(i.driver(s.sys, boardAddress)), 0)
	bound := func() bool {
		at := unix.AT_FDCWD
		_, _, errno := unix.Syscall(unix.SYS_FACCESSAT, uintptr(at), uintptr(unsafe.Pointer(&link[0])), unix.F_OK)
		return errno == 0
	}
	return watch{bound, func(ctx context.Context) error { return s.awaitDriver(ctx, bound) }}
}

// awaitDriver waits until the kernel drives the board: until a driver is bound to it or its
// framebuffer exists, which changes the folder of device files.
func (s system) awaitDriver(ctx context.Context, bound func() bool) error {
	dirs := func() []string { return []string{s.dev} }
	_, err := device.Await(ctx, s.Pace, dirs, func() (file string, try device.Try, err error) {
		if !bound() {
			file, err = s.find(matrixPart())
		}
		return file, try, err
	}, nil)
	return err
}
