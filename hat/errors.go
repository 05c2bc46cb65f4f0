package hat

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// The kinds of errors, for errors.Is.
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

// Error is an error of this package and of hat/emulator. Its text is one line that names the device
// and says what to do.
type Error struct {
	Kind error  // such as ErrNotFound, or nil
	What string // what failed, such as "cannot open the matrix /dev/fb1"
	Err  error  // what the system said, or nil
	Fix  string // what to do, or ""
}

// Error returns the text: What, the system's reason, and the Fix.
func (e *Error) Error() string {
	text := "hat: " + e.What
	var errno syscall.Errno // without the path and the call that What names already
	switch {
	case errors.As(e.Err, &errno):
		text += ": " + errno.Error()
	case e.Err != nil:
		text += ": " + strings.TrimPrefix(e.Err.Error(), "hat: ")
	}
	if e.Fix != "" {
		text += ": " + e.Fix
	}
	return text
}

// Unwrap returns the kind and the system's error, if there are any.
func (e *Error) Unwrap() []error {
	return slices.DeleteFunc([]error{e.Kind, e.Err}, func(err error) bool { return err == nil })
}

// joinGroups is the Fix of ErrPermission.
const joinGroups = "join its group with \"sudo usermod -aG video,input,i2c $USER\" and log in again"

// kindOf returns the kind of a system's error, or nil. EIO is what character devices return after a hangup.
func kindOf(err error) error {
	for kind, all := range map[error][]error{
		ErrGone:       {ErrGone, syscall.ENODEV, syscall.ENXIO, syscall.EIO},
		ErrPermission: {syscall.EACCES, syscall.EPERM},
		ErrBusy:       {syscall.EBUSY, syscall.EWOULDBLOCK},
		ErrNotFound:   {syscall.ENOENT, syscall.ENOTDIR},
	} {
		if slices.ContainsFunc(all, func(target error) bool { return errors.Is(err, target) }) {
			return kind
		}
	}
	return nil
}

// ioFault describes a failure of an open device. name is its name, such as "matrix /dev/fb1"; doing
// is what failed, such as "writing to".
func ioFault(doing, name string, err error) error {
	if kindOf(err) == ErrGone {
		return &Error{Kind: ErrGone, What: "the " + name + " was disconnected", Err: err}
	}
	return &Error{What: doing + " the " + name, Err: err}
}

func errClosed(name string) error {
	return &Error{What: "the " + name + " is not open", Err: os.ErrClosed}
}

// nameOf returns the name of a device for errors: what, and the device's own name if it has one, as an *os.File does.
func nameOf(what string, device any) string {
	if n, ok := device.(interface{ Name() string }); ok {
		return what + " " + n.Name()
	}
	return what
}
