package hat

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// The kinds of errors, for errors.Is. The text of an error is one line that names the device and
// says what to do.
var (
	// ErrNotFound: there is no such device at the moment. It matches fs.ErrNotExist too.
	ErrNotFound = fmt.Errorf("hat: no such device: %w", fs.ErrNotExist)
	// ErrPermission: this user may not open the device. It matches fs.ErrPermission too.
	ErrPermission = fmt.Errorf("hat: not allowed: %w", fs.ErrPermission)
	// ErrBusy: another process uses the device.
	ErrBusy = errors.New("hat: device in use")
	// ErrGone: the device was disconnected while open. Close it, and open it again.
	ErrGone = errors.New("hat: device disconnected")
)

// fault is an error with a one-line text and the errors that errors.Is finds in it.
type fault struct {
	text  string
	kind  error // ErrNotFound, ErrPermission, ErrBusy, ErrGone or nil
	cause error // what the system said, or nil
}

func (f *fault) Error() string { return "hat: " + f.text }

func (f *fault) Unwrap() []error {
	return slices.DeleteFunc([]error{f.kind, f.cause}, func(err error) bool { return err == nil })
}

// kindOf maps an errno to one of the kinds, or to nil. EIO is what character devices return after a
// hangup.
func kindOf(err error) error {
	if errors.Is(err, ErrGone) {
		return ErrGone
	}
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return nil
	}
	switch errno {
	case syscall.ENODEV, syscall.ENXIO, syscall.EIO:
		return ErrGone
	case syscall.EACCES, syscall.EPERM:
		return ErrPermission
	case syscall.EBUSY, syscall.EWOULDBLOCK:
		return ErrBusy
	case syscall.ENOENT, syscall.ENOTDIR:
		return ErrNotFound
	}
	return nil
}

// reason returns the text of an errno alone, because this package's errors name the device
// themselves: "no such device", not "write /dev/fb1: no such device".
func reason(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}

// ioFault describes a failure of an open device. device is its name, such as "matrix /dev/fb1";
// doing is what failed, such as "writing to".
func ioFault(doing, device string, err error) error {
	if kindOf(err) == ErrGone {
		return &fault{fmt.Sprintf("the %s was disconnected: %s", device, reason(err)), ErrGone, err}
	}
	return &fault{fmt.Sprintf("%s the %s: %s", doing, device, reason(err)), nil, err}
}

// errUnopened returns the error of the methods of a zero value.
func errUnopened(what string) error {
	return &fault{"the " + what + " was never opened", nil, os.ErrClosed}
}

func errClosed(name string) error {
	return &fault{"the " + name + " is closed", nil, os.ErrClosed}
}

// nameOf returns the name of a device for errors: what, and the device's own name if it has one, as
// an *os.File does.
func nameOf(what string, device any) string {
	if n, ok := device.(interface{ Name() string }); ok {
		return what + " " + n.Name()
	}
	return what
}
