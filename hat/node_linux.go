package hat

import (
	"io"
	"io/fs"
	"os"
	"unsafe"

	"github.com/c4hat/c4hat/hat/internal/device"
	"golang.org/x/sys/unix"
)

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
	xres, yres               uint32
	xresVirtual, yresVirtual uint32
	xoffset, yoffset         uint32
	bitsPerPixel, grayscale  uint32
	red, green, blue, transp fbBitfield
	_                        [20]uint32
}

type fbBitfield struct{ offset, length, msbRight uint32 }

// fbFix is struct fb_fix_screeninfo, 80 bytes with 64-bit words and 68 with 32-bit ones.
type fbFix struct {
	id         [16]byte
	smemStart  uintptr
	smemLen    uint32
	_          [3]uint32
	_          [3]uint16
	lineLength uint32
	_          uintptr
	_          [2]uint32
	_          [3]uint16
}

// node is an open device file with its ioctls. Tests use other nodes, which can fail in any way the
// kernel can.
type node interface {
	io.Reader
	io.ReaderAt
	io.WriterAt
	io.Closer
	Name() string
	Stat() (fs.FileInfo, error)

	screen(*fbVar, *fbFix) error
	Gamma(*[32]byte) error
	ResetGamma() error // to the default
	grab() error
	Lock() error // fails at once with EWOULDBLOCK if another process has it
}

type file struct{ device.File }

func openFile(path string, flag int) (node, error) {
	// A terminal given by mistake must not become the controlling terminal.
	f, err := os.OpenFile(path, flag|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	return file{device.File{File: f}}, nil
}

func (f file) screen(v *fbVar, x *fbFix) error {
	if err := f.ioctl(fbiogetVscreeninfo, unsafe.Pointer(v)); err != nil {
		return err
	}
	return f.ioctl(fbiogetFscreeninfo, unsafe.Pointer(x))
}

func (f file) Gamma(table *[32]byte) error { return f.ioctl(sensefbGetGamma, unsafe.Pointer(table)) }

// ioctl makes a call that fills in what the argument points to.
func (f file) ioctl(call uintptr, arg unsafe.Pointer) error {
	return f.Control(func(fd uintptr) error {
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, call, uintptr(arg)); errno != 0 {
			return errno
		}
		return nil
	})
}

func (f file) ResetGamma() error {
	return f.Control(func(fd uintptr) error { return unix.IoctlSetInt(int(fd), sensefbResetGamma, 0) })
}

// grab keeps presses from all other readers, such as the console, until the file is closed.
func (f file) grab() error {
	return f.Control(func(fd uintptr) error { return unix.IoctlSetInt(int(fd), eviocgrab, 1) })
}
