package hat

import (
	"errors"
	"io"
	"os"
	"time"

	"github.com/c4hat/c4hat/hat/internal/device"
)

// The kinds of errors, for errors.Is. The text of an error is one line that names the device and
// says what to do.
var (
	// ErrNotFound: there is no such device at the moment. It matches fs.ErrNotExist too.
	ErrNotFound = device.ErrNotFound
	// ErrPermission: this user may not open the device. It matches fs.ErrPermission too.
	ErrPermission = device.ErrPermission
	// ErrBusy: another process uses the device.
	ErrBusy = device.ErrBusy
	// ErrGone: the device was disconnected while open. Close it, and open it again.
	ErrGone = device.ErrGone
)

// ioFault describes a failure of an open device. name is its name, such as "matrix /dev/fb1"; doing
// is what failed, such as "writing to".
func ioFault(doing, name string, err error) error {
	if device.KindOf(err) == ErrGone {
		return device.Fault(ErrGone, err, "the %s was disconnected: %s", name, device.Reason(err))
	}
	return device.Fault(nil, err, "%s the %s: %s", doing, name, device.Reason(err))
}

// errUnopened returns the error of the methods of a zero value.
func errUnopened(what string) error {
	return device.Fault(nil, os.ErrClosed, "the %s was never opened", what)
}

func errClosed(name string) error {
	return device.Fault(nil, os.ErrClosed, "the %s is closed", name)
}

// nameOf returns the name of a device for errors: what, and the device's own name if it has one, as
// an *os.File does.
func nameOf(what string, device any) string {
	if n, ok := device.(interface{ Name() string }); ok {
		return what + " " + n.Name()
	}
	return what
}

// letGo closes a device. The close may never return: if a framebuffer was deleted while open, the
// thread that closes it dies in the kernel (rpisense-fb.c frees memory that
// fb_deferred_io_lastclose then uses). After one second letGo gives up and leaves the goroutine
// behind. A device that is plugged in later is not affected: it is another file with its own lock.
func letGo(d io.Closer) error {
	closed := make(chan error, 1)
	go func() { closed <- d.Close() }()
	select {
	case err := <-closed:
		return err
	case <-time.After(time.Second):
		return errors.New("the kernel's close does not return")
	}
}
