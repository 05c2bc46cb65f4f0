//go:build !linux

package hat

import (
	"context"
	"errors"
	"runtime"
)

// OpenMatrix says that there is no Sense HAT here: its drivers are Linux's.
func OpenMatrix(*Opts) (*Matrix, error) { return nil, errNoLinux() }

// OpenJoystick says that there is no Sense HAT here: its drivers are Linux's.
func OpenJoystick(*Opts) (*Joystick, error) { return nil, errNoLinux() }

// AwaitMatrix says that there is no Sense HAT here, without waiting for one.
func AwaitMatrix(context.Context, *Opts, func(error)) (*Matrix, error) { return nil, errNoLinux() }

// AwaitJoystick says that there is no Sense HAT here, without waiting for one.
func AwaitJoystick(context.Context, *Opts, func(error)) (*Joystick, error) { return nil, errNoLinux() }

// OpenMatrix says that there is no emulator here: its files are Linux's.
func (Emulator) OpenMatrix(*Opts) (*Matrix, error) { return nil, errNoLinux() }

// OpenJoystick says that there is no emulator here: its files are Linux's.
func (Emulator) OpenJoystick(*Opts) (*Joystick, error) { return nil, errNoLinux() }

// AwaitMatrix says that there is no emulator here, without waiting for one.
func (Emulator) AwaitMatrix(context.Context, *Opts, func(error)) (*Matrix, error) {
	return nil, errNoLinux()
}

// AwaitJoystick says that there is no emulator here, without waiting for one.
func (Emulator) AwaitJoystick(context.Context, *Opts, func(error)) (*Joystick, error) {
	return nil, errNoLinux()
}

// LockOwner finds nobody: its locks are Linux's.
func LockOwner(string) (pid int, name string) { return 0, "" }

// Gamma finds no driver here that has a table.
func Gamma(string) (table [32]byte, err error) { return table, errNoLinux() }

func errNoLinux() error {
	return &fault{
		"no Sense HAT on " + runtime.GOOS + ": its drivers are Linux's",
		ErrNotFound, errors.ErrUnsupported,
	}
}
