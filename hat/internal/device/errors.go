// Package device has what package hat and the emulator share: their errors, open files, and the wait
// for a device.
package device

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"syscall"
)

// The kinds of errors; package hat documents them.
var (
	ErrNotFound   = fmt.Errorf("hat: no such device: %w", fs.ErrNotExist)
	ErrPermission = fmt.Errorf("hat: not allowed: %w", fs.ErrPermission)
	ErrBusy       = errors.New("hat: device in use")
	ErrGone       = errors.New("hat: device disconnected")
)

// fault is an error with a one-line text and the errors that errors.Is finds in it.
type fault struct {
	text        string
	kind, cause error // may be nil
}

func (f *fault) Error() string { return "hat: " + f.text }

func (f *fault) Unwrap() []error {
	return slices.DeleteFunc([]error{f.kind, f.cause}, func(err error) bool { return err == nil })
}

// Fault returns an error of one of the kinds, or of none if kind is nil. The cause is what the system
// said, or nil; it is not added to the text.
func Fault(kind, cause error, format string, args ...any) error {
	return &fault{fmt.Sprintf(format, args...), kind, cause}
}

// NoLinux is the error of what exists only on Linux.
func NoLinux() error {
	return Fault(ErrNotFound, errors.ErrUnsupported, "no Sense HAT on %s: its drivers are for Linux", runtime.GOOS)
}

// KindOf maps an errno to one of the kinds, or to nil. EIO is what character devices return after a
// hangup.
func KindOf(err error) error {
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

// Reason returns the text of an errno alone, because the errors name the device themselves: "no such
// device", not "write /dev/fb1: no such device".
func Reason(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}
