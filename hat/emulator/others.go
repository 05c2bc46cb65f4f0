//go:build !linux

package emulator

import (
	"context"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/internal/device"
)

// OpenMatrix returns [hat.ErrNotFound].
func (Devices) OpenMatrix(*hat.Opts) (*hat.Matrix, error) { return nil, device.NoLinux() }

// OpenJoystick returns [hat.ErrNotFound].
func (Devices) OpenJoystick(*hat.Opts) (*hat.Joystick, error) { return nil, device.NoLinux() }

// AwaitMatrix returns [hat.ErrNotFound] without waiting.
func (Devices) AwaitMatrix(context.Context, *hat.Opts, func(error)) (*hat.Matrix, error) {
	return nil, device.NoLinux()
}

// AwaitJoystick returns [hat.ErrNotFound] without waiting.
func (Devices) AwaitJoystick(context.Context, *hat.Opts, func(error)) (*hat.Joystick, error) {
	return nil, device.NoLinux()
}
