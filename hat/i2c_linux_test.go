package hat

import (
	"context"
	"errors"
	"image/color"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/i2c/i2ctest"
	"periph.io/x/conn/v3/physic"
)

// chip is a bus with one board, or none, on it.
type chip struct {
	mu     sync.Mutex
	absent bool
	wrote  int
	open   int
}

func (c *chip) Tx(addr uint16, w, r []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.absent || addr != boardAddress:
		return io.ErrNoProgress
	case len(r) == 0:
		c.wrote++
	case w[0] == regWhoAmI:
		r[0] = boardID
	}
	return nil
}

func (c *chip) SetSpeed(physic.Frequency) error { return nil }
func (c *chip) String() string                  { return "chip" }
func (c *chip) Close() error                    { c.mu.Lock(); c.open--; c.mu.Unlock(); return nil }

func (c *chip) set(absent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.absent = absent
}

func (c *chip) frames() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wrote
}

// withBus gives the tree an I²C bus.
func withBus(t *testing.T, s *tree) (*chip, *Opts) {
	s.file(t, "i2c-1", "")
	c := &chip{}
	return c, &Opts{I2C: &I2C{Device: filepath.Join(s.dev, "i2c-1"), Open: func() (i2c.BusCloser, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open++
		return c, nil
	}}}
}

// bind binds a kernel driver to the board.
func bind(t *testing.T, s *tree) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Join(s.sys, "bus/i2c/devices/1-0046/driver"), 0o755))
}

func TestI2CFallback(t *testing.T) {
	s := newTree(t)
	c, o := withBus(t, s)
	m, err := s.openMatrix(o)
	must(t, err)
	joystick, err := s.openJoystick(o)
	must(t, err)
	if m.String() != "Sense HAT matrix on the I²C bus "+o.I2C.Device {
		t.Error(m)
	}
	// The bus is locked, so the matrix cannot be opened twice.
	_, err = s.openMatrix(o)
	kinds(t, err, ErrBusy)
	line(t, err, "the Sense HAT on the I²C bus "+o.I2C.Device+" is in use by process")
	must(t, joystick.Close())
	must(t, m.Close())
	m, err = s.openMatrix(o)
	must(t, err)
	must(t, m.Close())
	if c.open != 0 {
		t.Errorf("%d handles are open", c.open)
	}
}

func TestI2CDriverBound(t *testing.T) {
	for name, give := range map[string]func(*tree, *Opts){
		"a framebuffer":        func(s *tree, _ *Opts) { s.name(t, "graphics/fb0/name", "RPi-Sense FB") },
		"a driver":             func(s *tree, _ *Opts) { bind(t, s) },
		"no bus":               func(s *tree, o *Opts) { must(t, os.Remove(o.I2C.Device)) },
		"a path that is given": func(s *tree, o *Opts) { o.Framebuffer, o.Joystick = "/nowhere/fb1", "/nowhere/event1" },
	} {
		t.Run(name, func(t *testing.T) {
			s := newTree(t)
			c, o := withBus(t, s)
			o.I2C.Open = func() (i2c.BusCloser, error) { t.Error("opened"); return c, nil }
			give(s, o)
			_, err := s.openMatrix(o)
			kinds(t, err, ErrNotFound, os.ErrNotExist)
			_, joystickErr := s.openJoystick(o)
			kinds(t, joystickErr, ErrNotFound, os.ErrNotExist)
			if name == "a driver" { // the error must also say why the bus was not used
				for _, err := range []error{err, joystickErr} {
					line(t, err, "not driven over "+o.I2C.Device+": a kernel driver is bound to the board")
				}
			}
		})
	}
}

// The kernel's devices are preferred to the board.
func TestI2CKernelFirst(t *testing.T) {
	s := newTree(t)
	c, o := withBus(t, s)
	s.name(t, "graphics/fb0/name", "RPi-Sense FB")
	s.file(t, "fb0", "")
	m, err := s.openMatrix(o)
	must(t, err)
	defer m.Close()
	if c.frames() != 0 || !strings.HasSuffix(m.String(), "fb0") {
		t.Error(m, c.frames())
	}
}

func TestI2CNoAnswer(t *testing.T) {
	s := newTree(t)
	c, o := withBus(t, s)
	c.absent = true
	_, err := s.openMatrix(o)
	kinds(t, err, ErrNotFound, os.ErrNotExist)
	line(t, err, `no framebuffer called "RPi-Sense FB"`, "nothing answers at 0x46 of the I²C bus "+o.I2C.Device)
	if c.open != 0 {
		t.Errorf("%d handles are open", c.open)
	}
}

// AwaitMatrix finds a board that is plugged in, although no event reports it, and a new bus file.
func TestAwaitI2C(t *testing.T) {
	s := newTree(t)
	s.Failing = 20 * time.Millisecond
	c, o := withBus(t, s)
	c.absent = true
	must(t, os.Rename(o.I2C.Device, o.I2C.Device+"-not"))
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	var reports []string
	m, err := s.awaitMatrix(ctx, o, func(err error) {
		switch reports = append(reports, err.Error()); len(reports) {
		case 1:
			must(t, os.Rename(o.I2C.Device+"-not", o.I2C.Device))
		case 2:
			c.set(false)
		}
	})
	must(t, err)
	defer m.Close()
	joystick, err := s.awaitJoystick(ctx, o, nil)
	must(t, err)
	must(t, joystick.Close())
	if len(reports) != 2 || !strings.Contains(reports[1], "nothing answers") {
		t.Errorf("reported %q", reports)
	}
}

// While another process drives the board AwaitMatrix waits, without a transfer.
func TestAwaitI2CInUse(t *testing.T) {
	s := newTree(t)
	s.Failing = time.Hour
	_, o := withBus(t, s)
	first, err := s.openMatrix(o)
	must(t, err)
	time.AfterFunc(100*time.Millisecond, func() { first.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	m, err := s.awaitMatrix(ctx, o, nil)
	must(t, err)
	must(t, m.Close())
}

// When the kernel's driver is loaded, AwaitGone returns and no further frame is written to the
// board.
func TestI2CDriverLoaded(t *testing.T) {
	s := newTree(t)
	c, o := withBus(t, s)
	m, err := s.openMatrix(o)
	must(t, err)
	gone := make(chan error, 1)
	go func() { gone <- m.AwaitGone(t.Context()) }()
	frame := [64]color.RGBA{{R: 248}}
	must(t, m.WriteFrame(&frame))
	wrote := c.frames()
	bind(t, s)
	frame[1].G = 248
	if err := m.WriteFrame(&frame); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
	s.name(t, "graphics/fb1/name", "RPi-Sense FB")
	s.file(t, "fb1", "")
	select {
	case err := <-gone:
		must(t, err)
	case <-time.After(soon):
		t.Error("not noticed")
	}
	err = m.Close()
	kinds(t, err, ErrGone)
	line(t, err, "a kernel driver has taken it")
	if n := c.frames() - wrote; n != 0 {
		t.Errorf("%d frames written despite the kernel's driver", n)
	}
	m, err = s.openMatrix(o)
	must(t, err)
	must(t, m.Close())
}

func TestProbe(t *testing.T) {
	answer := func(id byte) []i2ctest.IO {
		return []i2ctest.IO{{Addr: boardAddress, W: []byte{regWhoAmI}, R: []byte{id}}}
	}
	for _, tt := range []struct {
		name string
		open error
		ops  []i2ctest.IO
		ok   bool
		errs []error
	}{
		{"HAT", nil, answer('s'), true, nil},
		{"highest bit", nil, answer('s' | 0x80), true, nil},
		{"other board", nil, answer('r'), false, nil},
		{"silence", nil, []i2ctest.IO{}, false, []error{ErrGone}},
		{"no permission", os.ErrPermission, nil, false, []error{ErrPermission, fs.ErrPermission}},
		{"no bus", os.ErrNotExist, nil, false, []error{ErrNotFound, fs.ErrNotExist}},
	} {
		synctest.Test(t, func(t *testing.T) {
			i := &I2C{Device: "/dev/i2c-1", Open: func() (i2c.BusCloser, error) {
				if tt.open != nil {
					return nil, tt.open
				}
				return &i2ctest.Playback{Ops: tt.ops, DontPanic: true}, nil
			}}
			ok, err := i.Probe()
			if ok != tt.ok || (err != nil) != (tt.errs != nil) {
				t.Errorf("%s: %v, %v", tt.name, ok, err)
			}
			kinds(t, err, tt.errs...)
		})
	}
}
