//go:build !linux

package hat

import (
	"context"

	"github.com/c4hat/c4hat/hat/internal/device"
)

// OpenMatrix returns [ErrNotFound]: the HAT's drivers are for Linux.
func OpenMatrix(*Opts) (*Matrix, error) { return nil, device.NoLinux() }

// OpenJoystick returns [ErrNotFound]: the HAT's drivers are for Linux.
func OpenJoystick(*Opts) (*Joystick, error) { return nil, device.NoLinux() }

// AwaitMatrix returns [ErrNotFound] without waiting.
func AwaitMatrix(context.Context, *Opts, func(error)) (*Matrix, error) { return nil, device.NoLinux() }

// AwaitJoystick returns [ErrNotFound] without waiting.
func AwaitJoystick(context.Context, *Opts, func(error)) (*Joystick, error) {
	return nil, device.NoLinux()
}

// Devices returns nothing: the HAT's drivers are for Linux.
func Devices() (framebuffers, inputs []Device) { return nil, nil }

// LockOwner returns 0: it needs Linux's /proc/locks.
func LockOwner(string) (pid int, name string) { return 0, "" }

// Gamma returns [ErrNotFound]: the HAT's drivers are for Linux.
func Gamma(string) (table [32]byte, err error) { return table, device.NoLinux() }
