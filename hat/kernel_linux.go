package hat

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// system says where the kernel shows its devices. Tests have their own.
type system struct{ sys, dev string }

func kernel() system { return system{"/sys", "/dev"} }

// part describes a device: how to find it, and what errors call it.
type part struct {
	what, kind string // for errors
	name       string // what the kernel calls it
	entries    string // the kernel's devices of this kind, below /sys/class
	nameAt     string // the file with the name, below an entry
	devices    string // the folder of its device file, below /dev
}

var (
	matrixPart   = part{"matrix", "framebuffer", MatrixName, "graphics/fb*", "name", ""}
	joystickPart = part{"joystick", "input device", JoystickName, "input/event*", "device/name", "input"}
)

// OpenMatrix opens the LED matrix, takes an exclusive flock on it and turns off all LEDs. A nil o is the zero Opts.
//
// Errors match [ErrNotFound], [ErrPermission], [ErrBusy] (the text names the process that holds the
// flock), or none of these if the path is not an 8×8 framebuffer with 16 bits per pixel.
func OpenMatrix(o *Opts) (*Matrix, error) { return kernel().openMatrix(o) }

// OpenJoystick opens the joystick for this process alone: presses no longer reach the console
// (EVIOCGRAB), and an exclusive flock tells other processes who has it. A nil o is the zero Opts.
//
// Errors match [ErrNotFound], [ErrPermission], [ErrBusy] (the text names the process that
// holds the flock, if any), or none of these if the path is not an input device.
func OpenJoystick(o *Opts) (*Joystick, error) { return kernel().openJoystick(o) }

// Devices lists the kernel's framebuffers and input devices, without opening any. The HAT's matrix is the framebuffer
// called [MatrixName], its joystick the input device called [JoystickName].
func Devices() (framebuffers, inputs []Device) {
	return kernel().devices(matrixPart), kernel().devices(joystickPart)
}

func (s system) openMatrix(o *Opts) (*Matrix, error) {
	o = cmp.Or(o, &Opts{})
	m, err := take(s, matrixPart, o.Framebuffer, func(f file) (*Matrix, error) {
		if err := s.checkScreen(f); err != nil {
			return nil, err
		}
		m, err := NewMatrix(f)
		if err == nil && f.device {
			m.linger = drawn
		}
		return m, err
	})
	return overI2C(o, m, err, func(i *I2C) (*Matrix, error) {
		// The only lock is on the bus's file: the process that has the matrix has the whole board.
		return take(s, part{what: "I²C bus"}, i.Device, func(f file) (*Matrix, error) { return i.matrix(f) })
	})
}

// drawn is the time after a write by which the kernel has certainly begun to draw: it begins after
// 10 ms and a tick. On early 6.1 kernels a Close before that loses the frame (raspberrypi/linux
// issue 5398), and the LEDs would stay lit.
const drawn = 20 * time.Millisecond

func (s system) openJoystick(o *Opts) (*Joystick, error) {
	o = cmp.Or(o, &Opts{})
	j, err := take(s, joystickPart, o.Joystick, func(f file) (*Joystick, error) {
		if err := f.grab(); err != nil {
			return nil, err
		}
		return NewJoystick(f), nil
	})
	return overI2C(o, j, err, func(i *I2C) (*Joystick, error) { return i.OpenJoystick() })
}

// overI2C opens a part of the board directly, if the kernel does not have it and the options allow it.
// If there is no board either, the error is the kernel's, which says what to do.
func overI2C[T any](o *Opts, device *T, missing error, open func(*I2C) (*T, error)) (*T, error) {
	if !errors.Is(missing, ErrNotFound) || o.I2C == nil || o.Framebuffer != "" || o.Joystick != "" {
		return device, missing
	}
	device, err := open(o.I2C)
	if errors.Is(err, ErrNotFound) {
		err = missing
	}
	return device, err
}

// devices lists the part's kind of device, in the order of their file names.
func (s system) devices(p part) (all []Device) {
	entries, _ := filepath.Glob(filepath.Join(s.sys, "class", p.entries))
	for _, e := range entries {
		if name, err := os.ReadFile(filepath.Join(e, p.nameAt)); err == nil {
			all = append(all, Device{strings.TrimSpace(string(name)), filepath.Join(s.dev, p.devices, filepath.Base(e))})
		}
	}
	return all
}

// find returns the part's device file. It looks for the device's kernel name, because the number in
// a path such as /dev/fb1 depends on which other devices there are.
func (s system) find(p part) (string, error) {
	for _, d := range s.devices(p) {
		if d.Name == p.name {
			return d.Path, nil
		}
	}
	return "", &Error{
		Kind: ErrNotFound,
		What: fmt.Sprintf("no Sense HAT %s: the kernel has no %s called %q", p.what, p.kind, p.name),
		Fix:  "power off and seat the HAT on all 40 pins, or add dtoverlay=rpi-sense to /boot/firmware/config.txt and reboot",
	}
}

// file is an open device file, or the regular file or FIFO in its place.
type file struct {
	*os.File
	device bool
}

// take opens the part's device file, locks it for this process, and makes a device of it.
func take[T any](s system, p part, path string, device func(file) (*T, error)) (d *T, err error) {
	f, err := s.open(p, path)
	if err != nil {
		return nil, err
	}
	if err = f.lock(p); err == nil {
		d, err = device(f)
	}
	if err != nil {
		f.Close()
	}
	return d, err
}

// open opens the part's device file, which the caller may have named.
func (s system) open(p part, given string) (f file, err error) {
	path := given
	if path == "" {
		if path, err = s.find(p); err != nil {
			return f, err
		}
	}
	info, err := os.Stat(path)
	if err == nil {
		f.device = info.Mode()&fs.ModeCharDevice != 0
		flag := os.O_RDWR
		if p.name == JoystickName && info.Mode()&(fs.ModeNamedPipe|fs.ModeDir) == 0 {
			// The service may only read the joystick. A pipe is opened for writing too: there is no end of
			// file when a writer closes it, and no wait for a writer to open it. A folder is then an error.
			flag = os.O_RDONLY
		}
		f.File, err = os.OpenFile(path, flag|unix.O_NOCTTY, 0) // a terminal given by mistake must not become the controlling one
	}
	if err == nil {
		return f, nil
	}
	e := &Error{Kind: kindOf(err), What: "cannot open the " + p.what + " " + path, Err: err}
	switch {
	case e.Kind == ErrNotFound && given != "":
		e.Fix = "leave the path out to find the Sense HAT by its name"
	case e.Kind == ErrPermission && f.device:
		e.Fix = joinGroups
	}
	return f, e
}

// checkScreen rejects a device that is not a framebuffer of the matrix's size, by what the kernel says
// about it (fbsysfs.c).
func (s system) checkScreen(f file) error {
	info, err := f.Stat()
	if err != nil || !f.device {
		return err
	}
	number := uint64(info.Sys().(*syscall.Stat_t).Rdev)
	about := filepath.Join(s.sys, "dev/char", fmt.Sprintf("%d:%d", unix.Major(number), unix.Minor(number)))
	size, _ := os.ReadFile(filepath.Join(about, "virtual_size"))
	bits, _ := os.ReadFile(filepath.Join(about, "bits_per_pixel"))
	if string(size) != "8,8\n" || string(bits) != "16\n" {
		return wrongFile(matrixPart, f, nil)
	}
	return nil
}

// grab keeps presses from all other readers, such as the console, until the file is closed. Another
// program may have grabbed the device and ignore the flock.
func (f file) grab() error {
	if !f.device {
		return nil
	}
	err := f.control(func(fd uintptr) error { return unix.IoctlSetInt(int(fd), eviocgrab, 1) })
	switch {
	case kindOf(err) == ErrBusy:
		return &Error{ErrBusy, "the joystick " + f.Name() + " is in use", err, "end the process that has grabbed it"}
	case err != nil:
		return wrongFile(joystickPart, f, err)
	}
	return nil
}

// wrongFile is the error for a device of another kind than the part's.
func wrongFile(p part, f file, err error) error {
	return &Error{kindOf(err), f.Name() + " is not the " + p.kind + " of a Sense HAT", err, "leave the path out to find it by its name"}
}

// lock takes the file's flock for this process.
func (f file) lock(p part) error {
	err := f.control(func(fd uintptr) error { return unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB) })
	switch {
	case err == nil:
		return nil
	case kindOf(err) != ErrBusy:
		return ioFault("locking", p.what+" "+f.Name(), err)
	}
	owner := "another process"
	if pid, name := LockOwner(f.Name()); pid != 0 {
		owner = strings.TrimSuffix(fmt.Sprintf("process %d (%s)", pid, name), " ()")
	}
	return &Error{ErrBusy, fmt.Sprintf("the %s %s is in use by %s", p.what, f.Name(), owner), nil, "end that first"}
}

// LockOwner finds the process that drives the device at a path: the one that holds the flock that
// this package takes on open devices. pid is 0 if there is no such process or it is unknown. name comes
// from /proc/PID/comm; unprintable characters are escaped as in Go. LockOwner does not open the device.
func LockOwner(path string) (pid int, name string) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, ""
	}
	st := info.Sys().(*syscall.Stat_t)
	// A line of /proc/locks has the device's numbers in hex and the inode in decimal (fs/locks.c,
	// lock_get_status). Processes that wait for the lock follow, each with an arrow before FLOCK.
	//
	//	1: FLOCK  ADVISORY  WRITE 4711 00:05:136 0 EOF
	file := fmt.Sprintf("%02x:%02x:%d", unix.Major(uint64(st.Dev)), unix.Minor(uint64(st.Dev)), st.Ino)
	locks, _ := os.ReadFile("/proc/locks")
	for line := range strings.Lines(string(locks)) {
		if f := strings.Fields(line); len(f) >= 6 && f[1] == "FLOCK" && f[5] == file {
			pid, _ = strconv.Atoi(f[4])
		}
	}
	if pid <= 0 { // a holder outside our PID namespace has no useful number
		return 0, ""
	}
	comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	// A process chooses its name itself, so the name must not break our one-line errors.
	return pid, strings.Trim(strconv.Quote(strings.TrimSuffix(string(comm), "\n")), `"`)
}

// From include/uapi/linux/input.h, and include/linux/mfd/rpisense/framebuffer.h of raspberrypi/linux.
// EVIOCGRAB's number differs on MIPS and POWER.
const (
	eviocgrab         = 0x40044590
	sensefbResetGamma = 0xF102
)

// control calls f with the file's descriptor. It does not use Fd: after a call of Fd, Close would no longer wake a
// blocked Read.
func (f file) control(call func(fd uintptr) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	failed := conn.Control(func(fd uintptr) { err = call(fd) })
	return cmp.Or(failed, err)
}

// ResetGamma sets the driver's gamma table to the default. It implements what [NewMatrix] documents.
func (f file) ResetGamma() error {
	if !f.device {
		return nil
	}
	return f.control(func(fd uintptr) error { return unix.IoctlSetInt(int(fd), sensefbResetGamma, 0) })
}
