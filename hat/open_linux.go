package hat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/c4hat/c4hat/hat/internal/device"
	"golang.org/x/sys/unix"
)

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

// AwaitMatrix is [OpenMatrix] for programs that can wait. If the matrix is missing, in use, failing
// or not permitted, AwaitMatrix waits and opens it as soon as it can. It returns only errors that
// waiting cannot cure, and the context's error.
//
// If report is not nil, AwaitMatrix calls it, in the same goroutine, with each reason for waiting
// that lasts and that differs from the last one reported. A missing device or permission is reported
// after 15 seconds, but not in the first five minutes after boot: until then udev may still be
// loading the drivers and setting the device's group.
//
// AwaitMatrix does not poll: inotify reports changes in the device file's folder and, while another
// process has the device open, that the process closes it. Only a failing device, and an I²C bus on
// which no HAT answers ([Opts.I2C]), are tried again every four seconds, because nothing reports
// that a HAT was plugged in. AwaitMatrix leaves no goroutine behind.
func AwaitMatrix(ctx context.Context, o *Opts, report func(error)) (*Matrix, error) {
	return kernel().awaitMatrix(ctx, o, report)
}

// AwaitJoystick is [OpenJoystick] for programs that can wait; see [AwaitMatrix].
func AwaitJoystick(ctx context.Context, o *Opts, report func(error)) (*Joystick, error) {
	return kernel().awaitJoystick(ctx, o, report)
}

func (s system) openMatrix(o *Opts) (*Matrix, error) {
	c := s.claim()
	defer c.dropAll()
	return c.matrix(o)
}

func (s system) openJoystick(o *Opts) (*Joystick, error) {
	c := s.claim()
	defer c.dropAll()
	return c.joystick(o)
}

func (s system) awaitMatrix(ctx context.Context, o *Opts, report func(error)) (*Matrix, error) {
	return await(ctx, s, matrixPart(), o.orZero().Framebuffer, o, (*claim).matrix, report)
}

func (s system) awaitJoystick(ctx context.Context, o *Opts, report func(error)) (*Joystick, error) {
	return await(ctx, s, joystickPart(), o.orZero().Joystick, o, (*claim).joystick, report)
}

func await[T any](ctx context.Context, s system, p part, given string, o *Opts, open func(*claim, *Opts) (T, error), report func(error)) (T, error) {
	c := s.claim()
	defer c.dropAll()
	dirs := func() []string { return s.folders(p, given, o) }
	return device.Await(ctx, s.Pace, dirs, func() (T, device.Try, error) {
		v, err := open(c, o)
		if !errors.Is(err, ErrBusy) {
			c.dropAll()
		}
		return v, device.Try{InUse: c.inUse(), Silent: c.silent}, err
	}, report)
}

// folders returns the folders to watch for the part's device file. If a path is given, folders
// returns the path's folder and, for a link such as those in /dev/input/by-path, the folder of the
// link's target.
func (s system) folders(p part, given string, o *Opts) []string {
	switch {
	case given != "":
		target, _ := filepath.EvalSymlinks(given)
		return []string{filepath.Dir(given), filepath.Dir(cmp.Or(target, given))}
	case o.orZero().I2C != nil: // the bus's file may appear first
		return []string{s.dir(p), s.dev}
	}
	return []string{s.dir(p)}
}

// Gamma reads the gamma table of the kernel's driver for the matrix at a path, even while another
// process drives the matrix. The index is a channel's highest 5 bits, the value is the LED's
// brightness, 0 to 31; [Brightness] uses the default table. Errors match [ErrNotFound] or
// [ErrPermission], or neither if the driver refuses, as it does for a 32-bit program on a 64-bit
// kernel.
func Gamma(path string) (table [32]byte, err error) {
	n, err := openFile(path, os.O_WRONLY)
	if err != nil {
		return table, openFault(matrixPart(), path, true, 0, err)
	}
	defer letGo(n)
	if err := n.Gamma(&table); err != nil {
		return table, ioFault("reading the gamma table of", "matrix "+path, err)
	}
	return table, nil
}

// claim is a device that is being opened. While another process has the device, the claim
// keeps its own descriptor and tries again with it: opening and closing one for each try
// would cause the very event, a close of the device, that triggers the next try.
type claim struct {
	system
	node node // nil, or open; dropAll closes it unless take has returned it
	info fs.FileInfo

	// For driving the board directly, if the kernel has no such device.
	bus    *claim // the claim of the bus's file
	silent bool   // when last tried, no Sense HAT answered on the bus
}

func (s system) claim() *claim { return &claim{system: s, bus: &claim{system: s}} }

func (c *claim) dropAll() {
	c.drop()
	c.bus.drop()
}

func (c *claim) drop() {
	if c.node != nil {
		_ = letGo(c.node)
		c.node, c.info = nil, nil
	}
}

// inUse returns the path of the device that another process has open, or "".
func (c *claim) inUse() string {
	for _, n := range []node{c.bus.node, c.node} {
		if n != nil {
			return n.Name()
		}
	}
	return ""
}

// open opens the device file in c.node, unless the file that is open there is still the one at
// the path.
func (c *claim) open(p part, given string, flags func(fs.FileMode) (int, bool)) (path string, err error) {
	path = given
	if path == "" {
		if path, err = c.find(p); err != nil {
			return "", err
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", openFault(p, path, given != "", 0, err)
	}
	if os.SameFile(c.info, info) {
		return path, nil
	}
	c.drop()
	flag, ok := flags(info.Mode())
	if !ok {
		return "", wrongFile(p, path, nil)
	}
	if c.node, err = c.system.open(path, flag); err == nil {
		c.info, err = c.node.Stat() // of the open file, because the path may now lead elsewhere
	}
	if err != nil {
		return "", openFault(p, path, given != "", info.Mode(), err)
	}
	return path, nil
}

// own locks the open device for this process.
func (c *claim) own(p part, path string) error {
	err := device.Uninterrupted(c.node.Lock)
	switch {
	case err == nil:
		return nil
	case device.KindOf(err) == ErrBusy:
		return device.Busy(p.what+" "+path, c.proc, c.info, err)
	}
	return ioFault("locking", p.what+" "+path, err)
}

// take returns the open device, which then belongs to the caller.
func (c *claim) take() node {
	n := c.node
	c.node, c.info = nil, nil
	return n
}

func (c *claim) matrix(o *Opts) (*Matrix, error) {
	if _, err := o.turns(); err != nil {
		return nil, err
	}
	p, given := matrixPart(), o.orZero().Framebuffer
	path, err := c.open(p, given, func(m fs.FileMode) (int, bool) {
		return os.O_RDWR, m.IsRegular() || m&fs.ModeCharDevice != 0
	})
	if err != nil {
		c.drop()
		return c.boardMatrix(o, given, err)
	}
	c.bus.drop()
	l, regular := rgb565(), c.info.Mode().IsRegular()
	if !regular {
		if l, err = screenLayout(c.node, path); err != nil {
			return nil, err
		}
	}
	if err := c.own(p, path); err != nil {
		return nil, err
	}
	m, err := newMatrix(c.node, l, o)
	if err != nil {
		return nil, err
	}
	c.take()
	if !regular {
		m.linger = drawn
		m.RestoreGamma()
	}
	return m, nil
}

// drawn is the time after a write by which the kernel has certainly begun to draw: it begins after
// 10 ms and a tick. On early 6.1 kernels a Close before that loses the frame (raspberrypi/linux
// issue 5398), and the LEDs would stay lit.
const drawn = 20 * time.Millisecond

// screenLayout reads the framebuffer's layout, and checks every number.
func screenLayout(n node, path string) (l layout, err error) {
	var v fbVar
	var x fbFix
	if err := device.Uninterrupted(func() error { return n.screen(&v, &x) }); err != nil {
		return l, refusal(matrixPart(), path, err)
	}
	if v.xres != side || v.yres != side || v.bitsPerPixel != 16 {
		return l, device.Fault(nil, nil, "%s is a screen of %d×%d pixels of %d bits, the Sense HAT's has 8×8 of 16: leave the path out to find it by its name",
			path, v.xres, v.yres, v.bitsPerPixel)
	}
	switch {
	case v.grayscale != 0 || v.red.msbRight != 0 || v.green.msbRight != 0 || v.blue.msbRight != 0:
		err = errors.New("a pixel format other than red, green and blue")
	case v.xoffset != 0 || v.yoffset != 0:
		err = fmt.Errorf("a picture that starts at (%d, %d)", v.xoffset, v.yoffset)
	case x.lineLength > 1<<16: // it may not fit into an int
		err = fmt.Errorf("rows of %d bytes", x.lineLength)
	default:
		l = layout{
			channel{v.red.offset, v.red.length}, channel{v.green.offset, v.green.length}, channel{v.blue.offset, v.blue.length},
			int(x.lineLength),
		}
		if err = l.check(); err == nil && int64(x.smemLen) < int64(l.size()) {
			err = fmt.Errorf("%d bytes of memory for %d", x.smemLen, l.size())
		}
	}
	if err != nil {
		return layout{}, device.Fault(nil, nil, "cannot draw on %s: its driver reports %v", path, err)
	}
	return l, nil
}

func (c *claim) joystick(o *Opts) (*Joystick, error) {
	if _, err := o.turns(); err != nil {
		return nil, err
	}
	p, given := joystickPart(), o.orZero().Joystick
	path, err := c.open(p, given, func(m fs.FileMode) (int, bool) {
		if m&fs.ModeNamedPipe != 0 {
			// If we open it for writing too, there is no end of file when a writer closes the pipe,
			// and no wait for a writer to open it.
			return os.O_RDWR, true
		}
		return os.O_RDONLY, m.IsRegular() || m&fs.ModeCharDevice != 0
	})
	if err != nil {
		c.drop()
		return c.boardJoystick(o, given, err)
	}
	if err := c.own(p, path); err != nil {
		return nil, err
	}
	if c.info.Mode()&fs.ModeCharDevice != 0 {
		// A program that ignores the flock may have grabbed the device.
		switch err := device.Uninterrupted(c.node.grab); {
		case device.KindOf(err) == ErrBusy:
			return nil, device.Fault(ErrBusy, err, "the %s %s is in use: another process has grabbed it", p.what, path)
		case err != nil:
			return nil, refusal(p, path, err)
		}
	}
	return NewJoystick(c.take(), o)
}

// refusal describes the failure of the first ioctl on a device file. ENOTTY and EINVAL mean that
// the file is another kind of device.
func refusal(p part, path string, err error) error {
	if errors.Is(err, unix.ENOTTY) || errors.Is(err, unix.EINVAL) {
		return wrongFile(p, path, err)
	}
	return openFault(p, path, true, fs.ModeDevice, err)
}

func wrongFile(p part, path string, err error) error {
	why := ""
	if err != nil {
		why = ": " + device.Reason(err)
	}
	return device.Fault(nil, err, "%s is not %s %s%s: leave the path out to find the Sense HAT by its name", path, p.article, p.kind, why)
}
