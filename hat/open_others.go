//go:build !linux

package hat

import (
	"context"
	"errors"
	"runtime"
)

// OpenMatrix says that there is no Sense HAT here: its drivers are Linux's.
func OpenMatrix(*Opts) (*Matrix, error) { return nil, errNoLinux() }

// OpenStick says that there is no Sense HAT here: its drivers are Linux's.
func OpenStick(*Opts) (*Stick, error) { return nil, errNoLinux() }

// AwaitMatrix says that there is no Sense HAT here, without waiting for one.
func AwaitMatrix(context.Context, *Opts, func(error)) (*Matrix, error) { return nil, errNoLinux() }

// AwaitStick says that there is no Sense HAT here, without waiting for one.
func AwaitStick(context.Context, *Opts, func(error)) (*Stick, error) { return nil, errNoLinux() }

// OpenMatrix says that there is no emulator here: its files are Linux's.
func (Emulator) OpenMatrix(*Opts) (*Matrix, error) { return nil, errNoLinux() }

// OpenStick says that there is no emulator here: its files are Linux's.
func (Emulator) OpenStick(*Opts) (*Stick, error) { return nil, errNoLinux() }

// AwaitMatrix says that there is no emulator here, without waiting for one.
func (Emulator) AwaitMatrix(context.Context, *Opts, func(error)) (*Matrix, error) {
	return nil, errNoLinux()
}

// AwaitStick says that there is no emulator here, without waiting for one.
func (Emulator) AwaitStick(context.Context, *Opts, func(error)) (*Stick, error) {
	return nil, errNoLinux()
}

// Owner finds nobody: there is nothing here to own.
func Owner(string) (pid int, name string) { return 0, "" }

// Gamma finds no driver here that has a table.
func Gamma(string) (table [32]byte, err error) { return table, errNoLinux() }

func errNoLinux() error {
	return &fault{
		"no Sense HAT on " + runtime.GOOS + ": its drivers are Linux's",
		ErrNotFound, errors.ErrUnsupported,
	}
}
