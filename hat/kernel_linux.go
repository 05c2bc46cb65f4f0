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
	"unicode"
	"unsafe"

	"golang.org/x/sys/unix"
)

// system says where the kernel shows its devices. Tests have their own.
type system struct{ sys, dev string }

func kernel() system { return system{"/sys", "/dev"} }

// part describes a device: how to find it, and what errors call it.
type part struct {
	what, kind string // for errors
	group      string // which may open it
	name       string // what the kernel calls it
	class      string // its folder below /sys/class
	prefix     string // of the entries in that folder
	nameAt     string // the file with the name, below an entry
	devices    string // the folder of its device file below /dev
}

func matrixPart() part {
	return part{"matrix", "framebuffer", "video", MatrixName, "graphics", "fb", "name", ""}
}

func joystickPart() part {
	return part{"joystick", "input device", "input", JoystickName, "input", "event", "device/name", "input"}
}

// OpenMatrix opens the LED matrix, takes an exclusive flock on it and turns off all LEDs. A nil o
// is the zero Opts.
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

// Devices lists the kernel's framebuffers and input devices, without opening any. The HAT's
// matrix is the framebuffer called [MatrixName], its joystick the input device called
// [JoystickName].
func Devices() (framebuffers, inputs []Device) {
	return kernel().devices(matrixPart()), kernel().devices(joystickPart())
}

// Gamma reads the gamma table of the kernel's driver for the matrix at a path, even while another
// process drives the matrix. The index is a channel's highest 5 bits, the value is the LED's
// brightness, 0 to 31; [Brightness] uses the default table. Errors match [ErrNotFound] or
// [ErrPermission], or neither if the driver refuses, as it does for a 32-bit program on a 64-bit
// kernel.
func Gamma(path string) (table [32]byte, err error) {
	f, err := kernel().open(matrixPart(), path)
	if err != nil {
		return table, err
	}
	defer f.Close()
	if err := f.ioctl(sensefbGetGamma, unsafe.Pointer(&table)); err != nil {
		return table, ioFault("reading the gamma table of", "matrix "+path, err)
	}
	return table, nil
}

func (s system) openMatrix(o *Opts) (*Matrix, error) {
	p := matrixPart()
	f, err := s.open(p, o.orZero().Framebuffer)
	if err != nil {
		return s.boardMatrix(o, err)
	}
	if f.device {
		err = f.checkScreen()
	}
	if err == nil {
		err = f.lock(p)
	}
	var m *Matrix
	if err == nil {
		m, err = NewMatrix(f, o)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	if f.device {
		m.linger = drawn
	}
	return m, nil
}

// boardMatrix drives the board's LEDs directly, if the kernel does not.
func (s system) boardMatrix(o *Opts, missing error) (*Matrix, error) {
	if err := s.direct(o, missing); err != nil {
		return nil, err
	}
	// The only lock is on the bus's file: the process that has the matrix has the whole board.
	p := part{what: "I²C bus", group: "i2c"}
	f, err := s.open(p, o.I2C.Device)
	if err != nil {
		return nil, err
	}
	var m *Matrix
	if err = f.lock(p); err == nil {
		m, err = o.I2C.matrix(o, f)
	}
	if err != nil {
		f.Close()
	}
	return m, err
}

// drawn is the time after a write by which the kernel has certainly begun to draw: it begins after
// 10 ms and a tick. On early 6.1 kernels a Close before that loses the frame (raspberrypi/linux
// issue 5398), and the LEDs would stay lit.
const drawn = 20 * time.Millisecond

func (s system) openJoystick(o *Opts) (*Joystick, error) {
	p := joystickPart()
	f, err := s.open(p, o.orZero().Joystick)
	if err != nil {
		if err := s.direct(o, err); err != nil {
			return nil, err
		}
		return o.I2C.OpenJoystick(o)
	}
	err = f.lock(p)
	if err == nil && f.device {
		// A program that ignores the flock may have grabbed the device.
		switch err = f.grab(); {
		case kindOf(err) == ErrBusy:
			err = &Error{ErrBusy, "the joystick " + f.Name() + " is in use", err, "end the process that has grabbed it"}
		case err != nil:
			err = wrongFile(p, f.Name(), err)
		}
	}
	var j *Joystick
	if err == nil {
		j, err = NewJoystick(f, o)
	}
	if err != nil {
		f.Close()
	}
	return j, err
}

// direct returns the error of the missing device, unless the board is to be driven directly: the
// options ask for it, and the kernel has neither a framebuffer for the board nor another driver.
func (s system) direct(o *Opts, missing error) error {
	i := o.orZero().I2C
	var e *Error
	if i == nil || !errors.As(missing, &e) || e.Kind != ErrNotFound || o.Framebuffer != "" || o.Joystick != "" {
		return missing
	}
	if _, err := s.find(matrixPart()); err == nil {
		return missing
	}
	_, err := os.Stat(i.Device)
	switch {
	case err != nil:
		return missing // it says what to do
	case i.bound(boardAddress):
		e.What += "; not driven over " + i.Device + ", because a kernel driver is bound to the board"
		return e
	}
	return nil
}

// devices lists the part's kind of device, in the order of their file names.
func (s system) devices(p part) (all []Device) {
	class := filepath.Join(s.sys, "class", p.class)
	entries, _ := os.ReadDir(class)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), p.prefix) {
			continue
		}
		name, err := os.ReadFile(filepath.Join(class, e.Name(), p.nameAt))
		if err == nil {
			all = append(all, Device{strings.TrimSpace(string(name)), filepath.Join(s.dev, p.devices, e.Name())})
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
		Fix:  "seat the HAT on all 40 pins or add dtoverlay=rpi-sense to /boot/firmware/config.txt, then reboot",
	}
}

// file is an open device file, or the regular file or FIFO in its place.
type file struct {
	*os.File
	device bool
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
		flag := os.O_RDWR
		switch mode := info.Mode(); {
		case mode.IsDir():
			return f, wrongFile(p, path, nil)
		case mode&fs.ModeNamedPipe != 0 && p.name != JoystickName:
			return f, wrongFile(p, path, nil)
		case mode&fs.ModeNamedPipe == 0 && p.name == JoystickName:
			// A pipe is opened for writing too: there is no end of file when a writer closes it, and no
			// wait for a writer to open it.
			flag = os.O_RDONLY
		}
		f.device = info.Mode()&fs.ModeCharDevice != 0
		f.File, err = os.OpenFile(path, flag|unix.O_NOCTTY, 0) // a terminal given by mistake must not become the controlling one
	}
	if err == nil {
		return f, nil
	}
	e := &Error{Kind: kindOf(err), What: fmt.Sprintf("cannot open the %s %s", p.what, path), Err: err}
	switch {
	case e.Kind == ErrNotFound && given != "":
		e.What, e.Fix = fmt.Sprintf("no %s at %s", p.what, path), "leave the path out to find the Sense HAT by its name"
	case e.Kind == ErrNotFound:
		e.What, e.Fix = fmt.Sprintf("the kernel has the Sense HAT's %s but %s is missing", p.what, path), "in a container, pass the device through"
	case e.Kind == ErrPermission:
		e.What = fmt.Sprintf("no permission to open the %s %s", p.what, path)
		if f.device {
			e.Fix = "join its group with \"sudo usermod -aG video,input,i2c $USER\" and log in again (a service needs the group " + p.group + ")"
		}
	}
	return f, e
}

// wrongFile is the error for a file that is not the part's kind of device.
func wrongFile(p part, path string, err error) error {
	return &Error{kindOf(err), path + " is not the " + p.kind + " of a Sense HAT", err, "leave the path out to find it by its name"}
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
// this package takes on open devices (/proc/locks). pid is 0 if there is no such process or it is
// unknown. name comes from /proc/PID/comm, with ? for unprintable characters. LockOwner does not
// open the device.
func LockOwner(path string) (pid int, name string) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, ""
	}
	st := info.Sys().(*syscall.Stat_t)
	locks, _ := os.ReadFile("/proc/locks")
	// A holder outside our PID namespace has no useful number.
	if pid = lockHolder(string(locks), uint64(st.Dev), uint64(st.Ino)); pid <= 0 {
		return 0, ""
	}
	comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	// A process chooses its name itself, so the name must not break our one-line errors.
	return pid, strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.TrimSuffix(string(comm), "\n"))
}

// lockHolder finds the process with the flock of a file in the text of /proc/locks, or 0. A line
// reads (fs/locks.c, lock_get_status):
//
//	1: FLOCK  ADVISORY  WRITE 4711 00:05:136 0 EOF
//
// with device numbers in hex and the inode in decimal. Processes that wait for the lock follow,
// each on a line with an arrow: "1: -> FLOCK …".
func lockHolder(locks string, dev, ino uint64) int {
	file := fmt.Sprintf("%02x:%02x:%d", unix.Major(dev), unix.Minor(dev), ino)
	for line := range strings.Lines(locks) {
		if f := strings.Fields(line); len(f) >= 6 && f[1] == "FLOCK" && f[5] == file {
			pid, _ := strconv.Atoi(f[4])
			return pid
		}
	}
	return 0
}

// From include/uapi/linux/fb.h and input.h, and include/linux/mfd/rpisense/framebuffer.h of
// raspberrypi/linux. EVIOCGRAB's number differs on MIPS and POWER.
const (
	fbiogetVscreeninfo = 0x4600
	fbiogetFscreeninfo = 0x4602
	eviocgrab          = 0x40044590
	sensefbGetGamma    = 0xF100
	sensefbResetGamma  = 0xF102
)

// fbVar is struct fb_var_screeninfo, 160 bytes.
type fbVar struct {
	xres, yres       uint32
	_                [4]uint32
	bitsPerPixel, _  uint32
	red, green, blue fbBitfield
	_                [23]uint32
}

type fbBitfield struct{ offset, length, msbRight uint32 }

// fbFix is struct fb_fix_screeninfo, 80 bytes with 64-bit words and 68 with 32-bit ones.
type fbFix struct {
	_          [16]byte
	_          uintptr
	smemLen    uint32
	_          [3]uint32
	_          [3]uint16
	lineLength uint32
	_          uintptr
	_          [2]uint32
	_          [3]uint16
}

// control calls f with the file's descriptor, until no signal interrupts it. It does not use Fd: after
// a call of Fd, Close would no longer wake a blocked Read.
func (f file) control(call func(fd uintptr) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	result := error(unix.EINTR)
	for errors.Is(result, unix.EINTR) {
		if err := conn.Control(func(fd uintptr) { result = call(fd) }); err != nil {
			return err
		}
	}
	return result
}

// ioctl makes a call that fills in what the argument points to.
func (f file) ioctl(call uintptr, arg unsafe.Pointer) error {
	return f.control(func(fd uintptr) error {
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, call, uintptr(arg)); errno != 0 {
			return errno
		}
		return nil
	})
}

// grab keeps presses from all other readers, such as the console, until the file is closed.
func (f file) grab() error {
	return f.control(func(fd uintptr) error { return unix.IoctlSetInt(int(fd), eviocgrab, 1) })
}

// ResetGamma sets the driver's gamma table to the default. It implements what [NewMatrix] documents.
func (f file) ResetGamma() error {
	if !f.device {
		return nil
	}
	return f.control(func(fd uintptr) error { return unix.IoctlSetInt(int(fd), sensefbResetGamma, 0) })
}

// checkScreen rejects a framebuffer of another size or format than the HAT's.
func (f file) checkScreen() error {
	var v fbVar
	var x fbFix
	err := cmp.Or(f.ioctl(fbiogetVscreeninfo, unsafe.Pointer(&v)), f.ioctl(fbiogetFscreeninfo, unsafe.Pointer(&x)))
	if err == nil && !isHAT(&v, &x) {
		err = fmt.Errorf("a screen of %d×%d pixels of %d bits, not 8×8 of RGB565", v.xres, v.yres, v.bitsPerPixel)
	}
	if err != nil {
		return wrongFile(matrixPart(), f.Name(), err)
	}
	return nil
}

func isHAT(v *fbVar, x *fbFix) bool {
	return v.xres == side && v.yres == side && v.bitsPerPixel == 16 && x.lineLength == 2*side && x.smemLen >= frameSize &&
		v.red == fbBitfield{11, 5, 0} && v.green == fbBitfield{5, 6, 0} && v.blue == fbBitfield{0, 5, 0}
}
