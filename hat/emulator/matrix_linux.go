package emulator

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/internal/device"
	"golang.org/x/sys/unix"
)

// OpenMatrix opens the emulator's screen as hat.OpenMatrix opens a regular file: the Matrix writes
// the pixels, but not the gamma table that follows them. The emulator draws new pixels 25 times a
// second. Errors match [hat.ErrNotFound], [hat.ErrPermission] (the emulator belongs to another user)
// or [hat.ErrBusy].
func (Devices) OpenMatrix(o *hat.Opts) (*hat.Matrix, error) {
	o = files(o)
	if err := check(o.Framebuffer, "screen", 0); err != nil {
		return nil, err
	}
	return hat.OpenMatrix(o)
}

// AwaitMatrix is OpenMatrix for programs that can wait; see [hat.AwaitMatrix]. It reports a missing
// emulator at once.
func (Devices) AwaitMatrix(ctx context.Context, o *hat.Opts, report func(error)) (*hat.Matrix, error) {
	o = files(o)
	return await(ctx, o.Framebuffer, func() (*hat.Matrix, error) {
		if err := check(o.Framebuffer, "screen", 0); err != nil {
			return nil, err
		}
		return hat.AwaitMatrix(ctx, o, report) // while another process has the file
	}, report)
}

// await waits for the file at a path. It needs no patience: the emulator's files are never late.
func await[T any](ctx context.Context, path string, open func() (T, error), report func(error)) (T, error) {
	pace := device.KernelPace()
	pace.Patience, pace.Booting = 0, 0
	return device.Await(ctx, pace, func() []string { return []string{filepath.Dir(path)} }, func() (T, device.Try, error) {
		v, err := open()
		return v, device.Try{}, err
	}, report)
}

// files returns the options with the paths of the emulator's files, by default screen_filename in
// sense_emu/screen.py and stick_address in sense_emu/stick.py.
func files(o *hat.Opts) *hat.Opts {
	if o == nil {
		o = &hat.Opts{}
	}
	return &hat.Opts{
		Framebuffer: cmp.Or(o.Framebuffer, "/dev/shm/rpi-sense-emu-screen"),
		Joystick:    cmp.Or(o.Joystick, "/dev/shm/rpi-sense-emu-stick"),
		Rotate:      o.Rotate,
	}
}

// check returns what is wrong with one of the emulator's files, which should be of type kind. The
// folder is world-writable, so any user may have created a file of that name; only its owner may
// replace it, because the folder is sticky. The screen must have its whole size: the emulator gives a
// gamma table only to a file that it has created itself, and without the table its window stays dark.
func check(path, part string, kind fs.FileMode) error {
	const size = 8*8*2 + 32 // pixels and gamma table
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, unix.ENOENT) && kind == 0:
		return device.Fault(hat.ErrNotFound, err, "the Sense HAT emulator's screen %s is missing: start sense_emu_gui, again if it runs", path)
	case err != nil:
		return fault(part+" "+path, err)
	}
	switch st, ok := info.Sys().(*syscall.Stat_t); {
	case ok && int(st.Uid) != os.Geteuid():
		return device.Fault(hat.ErrPermission, nil, "%s belongs to user ID %d: only that user can use this Sense HAT emulator", path, st.Uid)
	case info.Mode().Type() != kind, kind == 0 && info.Size() != size:
		return device.Fault(hat.ErrNotFound, nil, "%s is not a file of the Sense HAT emulator: remove it and start sense_emu_gui again", path)
	}
	return nil
}

// fault describes why a part of the emulator could not be opened. Unknown errors, such as a lack of
// memory, may be temporary: they match ErrGone, so AwaitMatrix tries again.
func fault(part string, err error) error {
	kind := device.KindOf(err)
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ECONNREFUSED):
		return device.Fault(hat.ErrNotFound, err, "the Sense HAT emulator is not running: start sense_emu_gui")
	case kind == hat.ErrPermission:
		return device.Fault(kind, err, "no permission to open the Sense HAT emulator's %s: %s", part, device.Reason(err))
	}
	return device.Fault(hat.ErrGone, err, "cannot open the Sense HAT emulator's %s: %s", part, device.Reason(err))
}
