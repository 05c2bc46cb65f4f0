//go:build !linux

package hat

import (
	"context"
	"errors"
	"runtime"
)

// OpenMatrix returns [ErrNotFound]: the HAT's drivers are for Linux.
func OpenMatrix(*Opts) (*Matrix, error) { return nil, errNoLinux() }

// OpenJoystick returns [ErrNotFound]: the HAT's drivers are for Linux.
func OpenJoystick(*Opts) (*Joystick, error) { return nil, errNoLinux() }

// AwaitMatrix returns [ErrNotFound] without waiting.
func AwaitMatrix(context.Context, *Opts, func(error)) (*Matrix, error) { return nil, errNoLinux() }

// AwaitJoystick returns [ErrNotFound] without waiting.
func AwaitJoystick(context.Context, *Opts, func(error)) (*Joystick, error) { return nil, errNoLinux() }

// OpenMatrix returns [ErrNotFound]: the emulator is for Linux.
func (Emulator) OpenMatrix(*Opts) (*Matrix, error) { return nil, errNoLinux() }

// OpenJoystick returns [ErrNotFound]: the emulator is for Linux.
func (Emulator) OpenJoystick(*Opts) (*Joystick, error) { return nil, errNoLinux() }

// AwaitMatrix returns [ErrNotFound] without waiting.
func (Emulator) AwaitMatrix(context.Context, *Opts, func(error)) (*Matrix, error) {
	return nil, errNoLinux()
}

// AwaitJoystick returns [ErrNotFound] without waiting.
func (Emulator) AwaitJoystick(context.Context, *Opts, func(error)) (*Joystick, error) {
	return nil, errNoLinux()
}

// Devices returns nothing: the HAT's drivers are for Linux.
func Devices() (framebuffers, inputs []Device) { return nil, nil }

// LockOwner returns 0: it needs Linux's /proc/locks.
func LockOwner(string) (pid int, name string) { return 0, "" }

// Gamma returns [ErrNotFound]: the HAT's drivers are for Linux.
func Gamma(string) (table [32]byte, err error) { return table, errNoLinux() }

func errNoLinux() error {
	return &fault{
		"no Sense HAT on " + runtime.GOOS + ": its drivers are for Linux",
		ErrNotFound, errors.ErrUnsupported,
	}
}
