package hat

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// AwaitMatrix is [OpenMatrix] for programs that can wait. If the matrix is missing, in use, failing
// or not permitted, AwaitMatrix waits and opens it as soon as it can. It returns only errors that
// waiting cannot cure, and the context's error.
//
// If report is not nil, AwaitMatrix calls it, in the same goroutine, with each reason for waiting
// that lasts and that differs from the last one reported. A missing device or permission is reported
// after 15 seconds, but not in the first five minutes after boot: until then udev may still be
// loading the drivers and setting the device's group.
//
// AwaitMatrix does not poll: inotify reports changes in the device file's folder and, while another
// process has the device open, that the process closes it. Only a failing device, and an I²C bus on
// which no HAT answers ([Opts.I2C]), are tried again every four seconds, because nothing reports
// that a HAT was plugged in. AwaitMatrix leaves no goroutine behind.
func AwaitMatrix(ctx context.Context, o *Opts, report func(error)) (*Matrix, error) {
	return kernel().awaitMatrix(ctx, o, report)
}

// AwaitJoystick is [OpenJoystick] for programs that can wait; see [AwaitMatrix].
func AwaitJoystick(ctx context.Context, o *Opts, report func(error)) (*Joystick, error) {
	return kernel().awaitJoystick(ctx, o, report)
}

func (s system) awaitMatrix(ctx context.Context, o *Opts, report func(error)) (*Matrix, error) {
	dirs := func() []string { return s.folders(matrixPart(), o.orZero().Framebuffer, o) }
	return await(ctx, s, dirs, func(c *claim) (*Matrix, error) { return c.matrix(o) }, report)
}

func (s system) awaitJoystick(ctx context.Context, o *Opts, report func(error)) (*Joystick, error) {
	dirs := func() []string { return s.folders(joystickPart(), o.orZero().Joystick, o) }
	return await(ctx, s, dirs, func(c *claim) (*Joystick, error) { return c.joystick(o) }, report)
}

// folders returns the folders to watch for the part's device file. If a path is given, folders
// returns the path's folder and, for a link such as those in /dev/input/by-path, the folder of the
// link's target.
func (s system) folders(p part, given string, o *Opts) []string {
	switch {
	case given != "":
		real, err := filepath.EvalSymlinks(given)
		if err != nil {
			real = given
		}
		return []string{filepath.Dir(given), filepath.Dir(real)}
	case o.orZero().I2C != nil: // the bus's file may appear first
		return []string{s.dir(p), s.dev}
	}
	return []string{s.dir(p)}
}

// settling returns the pauses between tries after an event. Events come too early: inotify reports
// a close before the kernel releases the file's locks and grab (fs/file_table.c, __fput). A device
// file appears before udev has set its group and, on older kernels, before its name is in /sys
// (fbmem.c, register_framebuffer).
func settling() []time.Duration {
	return []time.Duration{5 * time.Millisecond, 50 * time.Millisecond, 500 * time.Millisecond}
}

// await calls try until try succeeds, or fails for a reason that waiting cannot cure. It starts to
// watch dirs before each try, so that no change is missed.
func await[T any](ctx context.Context, s system, dirs func() []string, try func(*claim) (T, error), report func(error)) (T, error) {
	var none T
	w, err := newWatcher(ctx)
	if err != nil {
		return none, err
	}
	defer w.close()
	c := s.claim()
	defer c.dropAll()

	reported := ""
	var kind error      // why the last try failed
	var since time.Time // when the tries began to fail for this reason
	for pauses := s.settling; ; {
		if err := ctx.Err(); err != nil {
			return none, err
		}
		for _, dir := range dirs() {
			if err := w.folder(dir); err != nil {
				return none, err
			}
		}
		v, err := try(c)
		now := curable(err)
		if now == nil {
			return v, err
		}
		if w.device(c.awaited()) {
			continue // the device may have been released just before the watch was set
		}
		if now != kind {
			kind, since = now, time.Now()
		}
		var retry, grace time.Duration // until the next try without an event (0: none), and until a report
		if kind == ErrGone || c.silent {
			retry = s.failing
		}
		if report != nil && (kind == ErrNotFound || kind == ErrPermission) {
			grace = max(s.patience-time.Since(since), s.booting-uptime())
		}
		pause := retry
		switch {
		case len(pauses) > 0:
			pause, pauses = pauses[0], pauses[1:]
		case grace > 0 && (retry == 0 || grace < retry):
			pause = grace
		case grace <= 0 && report != nil && err.Error() != reported:
			reported = err.Error()
			report(err)
		}
		event, err := w.wait(pause)
		if err != nil {
			return none, err
		}
		if event {
			pauses = s.settling
		}
	}
}

// uptime returns the time since boot.
func uptime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil {
		return math.MaxInt64
	}
	return time.Duration(t.Nano())
}

// curable returns the kind of an error that waiting may cure, else nil.
func curable(err error) error {
	for _, kind := range []error{ErrNotFound, ErrPermission, ErrBusy, ErrGone} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	return nil
}

// AwaitGone waits until the file's path no longer leads to this file: when a device is removed, the
// kernel deletes its file. While a file is open, inotify(7) reports its deletion as a change of its
// attributes.
func (f file) AwaitGone(ctx context.Context) error {
	w, err := newWatcher(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	ours, err := f.Stat()
	if err != nil {
		return nil // the file is closed
	}
	for {
		// A watch ends with its file, so set it again each time. Set it before the check, so that
		// no change is missed.
		_, watchErr := w.add(f.Name(), unix.IN_ATTRIB|unix.IN_DELETE_SELF|unix.IN_MOVE_SELF)
		if now, err := os.Stat(f.Name()); err != nil || !os.SameFile(now, ours) {
			return nil
		}
		if watchErr != nil {
			return watchErr
		}
		if _, err := w.wait(0); err != nil {
			return err
		}
	}
}

// watcher waits for events of inotify(7). It ignores what an event says.
type watcher struct {
	ctx   context.Context
	file  file
	stop  func() bool // ends the watching of ctx
	inUse int         // the number of the watch for the close of a device, or 0
	buf   [4096]byte
}

// newWatcher returns a watcher whose waits end with the context.
func newWatcher(ctx context.Context) (*watcher, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, &fault{"cannot watch for devices: " + reason(err), nil, err}
	}
	w := &watcher{ctx: ctx, file: file{os.NewFile(uintptr(fd), "inotify")}}
	w.stop = context.AfterFunc(ctx, func() { w.file.SetReadDeadline(time.Unix(1, 0)) })
	return w, nil
}

func (w *watcher) close() {
	w.stop()
	w.file.Close()
}

// folder watches dir for device files that appear or change their permissions. If dir does not
// exist yet, like /dev/input without any input device, folder watches the nearest parent folder
// that does. folder may be called again: once dir exists, the call watches dir.
func (w *watcher) folder(dir string) error {
	const mask = unix.IN_CREATE | unix.IN_MOVED_TO | unix.IN_ATTRIB |
		unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR
	for above, last := dir, ""; ; {
		_, err := w.add(above, mask)
		switch {
		case err == nil && above == dir:
			return nil
		case err == nil && above == last:
			return nil // the folder below was still missing after this watch was set
		case err == nil:
			above, last = dir, above
		case filepath.Dir(above) == above:
			return &fault{"cannot watch " + dir + " for devices: " + reason(err), nil, err}
		default:
			above = filepath.Dir(above)
		}
	}
}

// device watches for the close of n, a device that another process has open. If n is nil, device
// ends the watch. fresh reports whether the watch is new.
//
// The folder is not watched for closes: every close of /dev/null would wake the watcher. Nor is a
// device that this process opens and closes: its own closes would wake the watcher.
func (w *watcher) device(n node) (fresh bool) {
	if n == nil {
		if w.inUse != 0 {
			w.remove(w.inUse)
			w.inUse = 0
		}
		return false
	}
	number, err := w.add(n.Name(), unix.IN_CLOSE)
	if err != nil || number == w.inUse {
		return false // n was disconnected, which changes its folder, or is watched already
	}
	w.inUse = number
	return true
}

// wait returns true after an event and false after the pause, or the context's error. With a pause
// of 0, wait has no time limit.
func (w *watcher) wait(pause time.Duration) (event bool, err error) {
	var until time.Time
	if pause > 0 {
		until = time.Now().Add(pause)
	}
	if err := w.file.SetReadDeadline(until); err != nil {
		return false, err
	}
	// If the context ended earlier, this deadline has replaced the one that was to end the wait.
	if err := w.ctx.Err(); err != nil {
		return false, err
	}
	_, err = w.file.Read(w.buf[:])
	if w.ctx.Err() != nil {
		return false, w.ctx.Err()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return false, nil
	}
	return err == nil, err
}

// add watches a path and returns the watch's number. A file that is watched already keeps its
// number.
func (w *watcher) add(path string, mask uint32) (number int, err error) {
	err = w.file.control(func(fd uintptr) (err error) {
		number, err = unix.InotifyAddWatch(int(fd), path, mask)
		return err
	})
	return number, err
}

// remove removes a watch, which may already have ended with its file.
func (w *watcher) remove(number int) {
	_ = w.file.control(func(fd uintptr) error {
		_, err := unix.InotifyRmWatch(int(fd), uint32(number))
		return err
	})
}
