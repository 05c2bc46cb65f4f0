package hat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// OpenMatrix opens the emulator's screen as the function [OpenMatrix] opens a HAT's matrix,
// including the exclusive flock. The Matrix writes the pixels, but not the gamma table that follows
// them in the file. The emulator draws new pixels 25 times a second. Errors match [ErrNotFound],
// [ErrPermission] (the emulator belongs to another user) or [ErrBusy].
func (Emulator) OpenMatrix(o *Opts) (*Matrix, error) {
	c := kernel().claim()
	defer c.dropAll()
	return c.emulatedMatrix(o)
}

// OpenJoystick opens the emulator's joystick. Errors match [ErrNotFound] if the emulator is not
// running, and [ErrPermission] if it belongs to another user.
func (Emulator) OpenJoystick(o *Opts) (*Joystick, error) { return openEmulatedJoystick(o) }

// AwaitMatrix is OpenMatrix for programs that can wait; see the function [AwaitMatrix].
func (Emulator) AwaitMatrix(ctx context.Context, o *Opts, report func(error)) (*Matrix, error) {
	dirs := func() []string { return []string{filepath.Dir(emulatedScreen(o))} }
	return await(ctx, emulated(), dirs, func(c *claim) (*Matrix, error) { return c.emulatedMatrix(o) }, report)
}

// AwaitJoystick is OpenJoystick for programs that can wait; see the function [AwaitMatrix].
func (Emulator) AwaitJoystick(ctx context.Context, o *Opts, report func(error)) (*Joystick, error) {
	dirs := func() []string { return []string{filepath.Dir(emulatedJoystick(o))} }
	return await(ctx, emulated(), dirs, func(*claim) (*Joystick, error) { return openEmulatedJoystick(o) }, report)
}

// emulated has no grace: a missing emulator was not started.
func emulated() system {
	s := kernel()
	s.patience, s.booting = 0, 0
	return s
}

// emulatedScreen and emulatedJoystick return the path of a part's file. The defaults are those
// of screen_filename in sense_emu/screen.py and stick_address in sense_emu/stick.py.
func emulatedScreen(o *Opts) string {
	return cmp.Or(o.orZero().Framebuffer, "/dev/shm/rpi-sense-emu-screen")
}

func emulatedJoystick(o *Opts) string {
	return cmp.Or(o.orZero().Joystick, "/dev/shm/rpi-sense-emu-stick")
}

func (c *claim) emulatedMatrix(o *Opts) (*Matrix, error) {
	if _, err := o.turns(); err != nil {
		return nil, err
	}
	path := emulatedScreen(o)
	if err := c.openEmulatedScreen(path); err != nil {
		return nil, err
	}
	return c.drive(path, rgb565(), o)
}

// openEmulatedScreen opens the screen's file in c.node, unless the file that is open there is
// still the one at the path. It never creates the file: the emulator gives a gamma table only
// to a file that it has created itself, and without the table its window stays dark.
func (c *claim) openEmulatedScreen(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		c.drop()
		if errors.Is(err, unix.ENOENT) {
			return &fault{"the Sense HAT emulator's screen " + path + " is missing: start sense_emu_gui, again if it runs", ErrNotFound, err}
		}
		return emulatorFault("screen "+path, err)
	}
	if os.SameFile(c.info, info) {
		return nil
	}
	c.drop()
	if err := checkEmulated(path, info, 0); err != nil {
		return err
	}
	// The open must not block: a pipe without a reader may just have replaced the file.
	n, err := c.system.open(path, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK)
	if err != nil {
		return emulatorFault("screen "+path, err)
	}
	c.node = n
	if c.info, err = n.Stat(); err == nil { // of the open file
		err = checkEmulated(path, c.info, 0)
	}
	if err != nil {
		c.drop()
	}
	return err
}

// checkEmulated returns what is wrong with one of the emulator's files, which should be of type
// kind. The folder is world-writable, so any user may have created a file of that name.
func checkEmulated(path string, info fs.FileInfo, kind fs.FileMode) error {
	const screen = 8*8*2 + 32 // pixels and gamma table
	switch st, ok := info.Sys().(*syscall.Stat_t); {
	case ok && int(st.Uid) != os.Geteuid():
		return &fault{fmt.Sprintf("%s belongs to user ID %d: only that user can use this Sense HAT emulator", path, st.Uid), ErrPermission, nil}
	case info.Mode().Type() != kind, kind == 0 && info.Size() != screen:
		return &fault{path + " is not a file of the Sense HAT emulator: remove it and start sense_emu_gui again", ErrNotFound, nil}
	}
	return nil
}

// emulatorFault describes why a part of the emulator could not be opened. Unknown errors, such as a
// lack of memory, may be temporary: they match ErrGone, so AwaitMatrix tries again.
func emulatorFault(part string, err error) error {
	var known *fault
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ECONNREFUSED):
		return &fault{"the Sense HAT emulator is not running: start sense_emu_gui", ErrNotFound, err}
	case kindOf(err) == ErrPermission:
		return &fault{fmt.Sprintf("no permission to open the Sense HAT emulator's %s: %s", part, reason(err)), ErrPermission, err}
	}
	return &fault{fmt.Sprintf("cannot open the Sense HAT emulator's %s: %s", part, reason(err)), ErrGone, err}
}
