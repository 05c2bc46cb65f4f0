//go:build linux

// Package uinput creates joysticks for tests: input devices with the name of the Sense
// HAT's joystick, whose keys a program presses. It needs the kernel's uinput module and
// access to /dev/uinput.
//
// The ioctl numbers and structures are from include/uapi/linux/uinput.h, the codes from
// include/uapi/linux/input-event-codes.h.
package uinput

import (
	"fmt"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Name is what both kernel drivers call the Sense HAT's joystick.
const Name = "Raspberry Pi Sense HAT Joystick"

// Key is a direction of the joystick.
type Key int

// The five keys of the joystick.
const (
	Up Key = iota
	Down
	Left
	Right
	Middle
)

// Keymap holds the key code of each Key.
type Keymap [5]uint16

var (
	// RaspberryPi is the keymap of Raspberry Pi OS: KEY_UP, KEY_DOWN, KEY_LEFT,
	// KEY_RIGHT, KEY_ENTER.
	RaspberryPi = Keymap{103, 108, 105, 106, 28}
	// Mainline is the keymap of the driver in mainline Linux: BTN_DPAD_UP, _DOWN, _LEFT,
	// _RIGHT, BTN_SELECT.
	Mainline = Keymap{0x220, 0x221, 0x222, 0x223, 0x13a}
)

const (
	evSyn = 0x00
	evKey = 0x01
	evRep = 0x14

	uiDevCreate  = 0x5501
	uiDevDestroy = 0x5502
	uiDevSetup   = 0x405c5503 // _IOW('U', 3, struct uinput_setup)
	uiSetEvbit   = 0x40045564 // _IOW('U', 100, int)
	uiSetKeybit  = 0x40045565 // _IOW('U', 101, int)
	uiGetSysname = 0x8040552c // _IOC(_IOC_READ, 'U', 44, 64)
)

// setup is struct uinput_setup.
type setup struct {
	bustype, vendor, product, version uint16
	name                              [80]byte
	ffEffectsMax                      uint32
}

// record is struct input_event: 16 bytes for a 32-bit program, else 24.
type record struct {
	Time       unix.Timeval
	Type, Code uint16
	Value      int32
}

// Stick is an input device that exists until Close.
type Stick struct {
	fd   int
	keys Keymap
	node string
}

// Create plugs a joystick in. The kernel repeats a held key as it does for the real one:
// after 250 ms, then about every 40 ms.
func Create(keys Keymap) (*Stick, error) {
	fd, err := unix.Open("/dev/uinput", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("uinput: open /dev/uinput (is the module uinput loaded?): %w", err)
	}
	s := &Stick{fd: fd, keys: keys}
	if err := s.create(); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return s, nil
}

func (s *Stick) create() error {
	bits := [][2]uintptr{{uiSetEvbit, evKey}, {uiSetEvbit, evRep}}
	for _, code := range s.keys {
		bits = append(bits, [2]uintptr{uiSetKeybit, uintptr(code)})
	}
	for _, b := range bits {
		if err := ioctl(s.fd, b[0], b[1]); err != nil {
			return fmt.Errorf("uinput: announce code %#x: %w", b[1], err)
		}
	}
	about := setup{bustype: 0x18} // BUS_I2C
	copy(about.name[:], Name)
	if err := ioctlPointer(s.fd, uiDevSetup, unsafe.Pointer(&about)); err != nil {
		return fmt.Errorf("uinput: name the device: %w", err)
	}
	if err := ioctl(s.fd, uiDevCreate, 0); err != nil {
		return fmt.Errorf("uinput: create the device: %w", err)
	}
	var input [64]byte
	if err := ioctlPointer(s.fd, uiGetSysname, unsafe.Pointer(&input)); err != nil {
		return fmt.Errorf("uinput: ask for the device's name: %w", err)
	}
	pattern := "/sys/class/input/" + unix.ByteSliceToString(input[:]) + "/event*"
	nodes, err := filepath.Glob(pattern)
	if err != nil || len(nodes) != 1 {
		return fmt.Errorf("uinput: %d files at %s (is the module evdev loaded?)", len(nodes), pattern)
	}
	s.node = "/dev/input/" + filepath.Base(nodes[0])
	return nil
}

// Node returns the path of the stick's event device, "/dev/input/event0".
func (s *Stick) Node() string { return s.node }

// Press presses k and holds it.
func (s *Stick) Press(k Key) error { return s.report(k, 1) }

// Release releases k.
func (s *Stick) Release(k Key) error { return s.report(k, 0) }

// Tap presses k briefly.
func (s *Stick) Tap(k Key) error {
	if err := s.Press(k); err != nil {
		return err
	}
	return s.Release(k)
}

// Close unplugs the joystick: readers of its event device get ENODEV.
func (s *Stick) Close() error {
	err := ioctl(s.fd, uiDevDestroy, 0)
	if cerr := unix.Close(s.fd); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("uinput: unplug: %w", err)
	}
	return nil
}

func (s *Stick) report(k Key, value int32) error {
	// The kernel sets the time.
	records := [2]record{{Type: evKey, Code: s.keys[k], Value: value}, {Type: evSyn}}
	b := unsafe.Slice((*byte)(unsafe.Pointer(&records)), unsafe.Sizeof(records))
	if _, err := unix.Write(s.fd, b); err != nil {
		return fmt.Errorf("uinput: key %#x to %d: %w", s.keys[k], value, err)
	}
	return nil
}

func ioctl(fd int, request, arg uintptr) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, arg); errno != 0 {
		return errno
	}
	return nil
}

func ioctlPointer(fd int, request uintptr, arg unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(arg)); errno != 0 {
		return errno
	}
	return nil
}
