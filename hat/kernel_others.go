//go:build !linux

package hat

import (
	"errors"
	"runtime"
)

// OpenMatrix returns [ErrNotFound]: the HAT's drivers are for Linux.
func OpenMatrix(*Opts) (*Matrix, error) { return nil, errNoLinux() }

// OpenJoystick returns [ErrNotFound]: the HAT's drivers are for Linux.
func OpenJoystick(*Opts) (*Joystick, error) { return nil, errNoLinux() }

// Devices returns nothing: the HAT's drivers are for Linux.
func Devices() (framebuffers, inputs []Device) { return nil, nil }

// LockOwner returns 0: it needs Linux's /proc/locks.
func LockOwner(string) (pid int, name string) { return 0, "" }

// errNoLinux is the error of what exists only on Linux.
func errNoLinux() error {
	return &Error{Kind: ErrNotFound, What: "no Sense HAT on " + runtime.GOOS + ": its drivers are for Linux", Err: errors.ErrUnsupported}
}
