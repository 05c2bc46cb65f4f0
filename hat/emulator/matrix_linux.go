package emulator

import (
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

// OpenMatrix opens the emulator's screen, and takes an exclusive flock on it. The Matrix writes the
// pixels, but not the gamma table that follows them in the file. The emulator draws new pixels 25
// times a second. Errors match [hat.ErrNotFound], [hat.ErrPermission] (the emulator belongs to
// another user) or [hat.ErrBusy].
func (Devices) OpenMatrix(o *hat.Opts) (*hat.Matrix, error) {
	var s screen
	defer s.drop()
	return s.matrix(o)
}

// AwaitMatrix is OpenMatrix for programs that can wait; see [hat.AwaitMatrix]. It reports a missing
// emulator at once.
func (Devices) AwaitMatrix(ctx context.Context, o *hat.Opts, report func(error)) (*hat.Matrix, error) {
	var s screen
	defer s.drop()
	return await(ctx, screenPath(o), func() (*hat.Matrix, device.Try, error) {
		m, err := s.matrix(o)
		return m, device.Try{InUse: s.inUse()}, err
	}, report)
}

// await waits for the file at a path. The emulator's files need no patience: nothing else is late.
func await[T any](ctx context.Context, path string, try func() (T, device.Try, error), report func(error)) (T, error) {
	pace := device.KernelPace()
	pace.Patience, pace.Booting = 0, 0
	return device.Await(ctx, pace, func() []string { return []string{filepath.Dir(path)} }, try, report)
}

// screenPath returns the path of the screen's file: by default that of screen_filename in
// sense_emu/screen.py.
func screenPath(o *hat.Opts) string {
	if o != nil && o.Framebuffer != "" {
		return o.Framebuffer
	}
	return "/dev/shm/rpi-sense-emu-screen"
}

// screen is the screen's file while it is being opened. While another process has it, its descriptor
// is kept for the next try: a close would look like that of the other process.
type screen struct {
	file *os.File
	info fs.FileInfo
}

func (s *screen) drop() {
	if s.file != nil {
		s.file.Close()
		s.file, s.info = nil, nil
	}
}

// inUse returns the path of the screen that another process has open, or "".
func (s *screen) inUse() string {
	if s.file == nil {
		return ""
	}
	return s.file.Name()
}

func (s *screen) matrix(o *hat.Opts) (*hat.Matrix, error) {
	path := screenPath(o)
	if err := s.open(path); err != nil {
		s.drop()
		return nil, err
	}
	f := device.File{File: s.file}
	if err := device.Uninterrupted(f.Lock); err != nil {
		if device.KindOf(err) == hat.ErrBusy {
			return nil, device.Busy("matrix "+path, "/proc", s.info, err)
		}
		s.drop()
		return nil, fault("screen "+path, err)
	}
	m, err := hat.NewMatrix(f, o)
	if err != nil {
		s.drop()
		return nil, err
	}
	s.file, s.info = nil, nil
	return m, nil
}

// open opens the screen's file, unless the file that is open is still the one at the path. It never
// creates the file: the emulator gives a gamma table only to a file that it has created itself, and
// without the table its window stays dark.
func (s *screen) open(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, unix.ENOENT):
		return device.Fault(hat.ErrNotFound, err, "the Sense HAT emulator's screen %s is missing: start sense_emu_gui, again if it runs", path)
	case err != nil:
		return fault("screen "+path, err)
	case os.SameFile(s.info, info):
		return nil
	}
	s.drop()
	if err := check(path, info, 0); err != nil {
		return err
	}
	// The open must not block: a pipe without a reader may just have replaced the file.
	s.file, err = os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return fault("screen "+path, err)
	}
	if s.info, err = s.file.Stat(); err != nil {
		return fault("screen "+path, err)
	}
	return check(path, s.info, 0) // the open file, which may be another one
}

// check returns what is wrong with one of the emulator's files, which should be of type kind. The
// folder is world-writable, so any user may have created a file of that name.
func check(path string, info fs.FileInfo, kind fs.FileMode) error {
	const size = 8*8*2 + 32 // of the screen: pixels and gamma table
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
