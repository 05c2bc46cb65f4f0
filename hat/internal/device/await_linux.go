package device

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Pace says how long a wait takes. Tests have their own.
type Pace struct {
	// Settling are the pauses between tries after an event. Events come too early: inotify reports a
	// close before the kernel releases the file's locks and grab (fs/file_table.c, __fput). A device
	// file appears before udev has set its group and, on older kernels, before its name is in /sys
	// (fbmem.c, register_framebuffer).
	Settling []time.Duration
	Failing  time.Duration // until a device that fails is tried again
	Patience time.Duration // until a missing device or permission is reported
	Booting  time.Duration // the time after boot in which neither is reported, because udev may be slow
}

// KernelPace returns the pace for the kernel's devices.
func KernelPace() Pace {
	return Pace{
		[]time.Duration{5 * time.Millisecond, 50 * time.Millisecond, 500 * time.Millisecond},
		4 * time.Second, 15 * time.Second, 5 * time.Minute,
	}
}

// Try is the result of trying to open a device that waiting may bring.
type Try struct {
	InUse  string // the file whose close by another process is awaited, or ""
	Silent bool   // nothing will report the device: try again after Pace.Failing
}

// Await calls try until try succeeds, or fails for a reason that waiting cannot cure. It starts to
// watch dirs before each try, so that no change is missed.
func Await[T any](ctx context.Context, p Pace, dirs func() []string, try func() (T, Try, error), report func(error)) (T, error) {
	var none T
	w, err := newWatcher(ctx)
	if err != nil {
		return none, err
	}
	defer w.close()
	reported := ""
	var kind error      // why the last try failed
	var since time.Time // when the tries began to fail for this reason
	for pauses := p.Settling; ; {
		if err := ctx.Err(); err != nil {
			return none, err
		}
		for _, dir := range dirs() {
			if err := w.folder(dir); err != nil {
				return none, err
			}
		}
		v, result, err := try()
		now := curable(err)
		if now == nil {
			return v, err
		}
		if w.device(result.InUse) {
			continue // the device may have been released just before the watch was set
		}
		if now != kind {
			kind, since = now, time.Now()
		}
		var retry, grace time.Duration // until the next try without an event (0: none), and until a report
		if kind == ErrGone || result.Silent {
			retry = p.Failing
		}
		if report != nil && (kind == ErrNotFound || kind == ErrPermission) {
			grace = max(p.Patience-time.Since(since), p.Booting-uptime())
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
			pauses = p.Settling
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

// watcher waits for events of inotify(7). It ignores what an event says.
type watcher struct {
	ctx   context.Context
	file  File
	stop  func() bool // ends the watching of ctx
	inUse int         // the number of the watch for the close of a device, or 0
	buf   [4096]byte
}

// newWatcher returns a watcher whose waits end with the context.
func newWatcher(ctx context.Context) (*watcher, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, Fault(nil, err, "cannot watch for devices: %s", Reason(err))
	}
	w := &watcher{ctx: ctx, file: File{os.NewFile(uintptr(fd), "inotify")}}
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
		case err == nil && (above == dir || above == last): // or the folder below was still missing after this watch was set
			return nil
		case err == nil:
			above, last = dir, above
		case filepath.Dir(above) == above:
			return Fault(nil, err, "cannot watch %s for devices: %s", dir, Reason(err))
		default:
			above = filepath.Dir(above)
		}
	}
}

// device watches for the close of a device that another process has open. If path is "", device ends
// the watch. fresh reports whether the watch is new.
//
// The folder is not watched for closes: every close of /dev/null would wake the watcher. Nor is a
// device that this process opens and closes: its own closes would wake the watcher.
func (w *watcher) device(path string) (fresh bool) {
	if path == "" {
		if w.inUse != 0 {
			_ = w.file.Control(func(fd uintptr) error { // the watch may already have ended with its file
				_, err := unix.InotifyRmWatch(int(fd), uint32(w.inUse))
				return err
			})
			w.inUse = 0
		}
		return false
	}
	number, err := w.add(path, unix.IN_CLOSE)
	if err != nil || number == w.inUse {
		return false // the device was disconnected, which changes its folder, or is watched already
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
	err = w.file.Control(func(fd uintptr) (err error) {
		number, err = unix.InotifyAddWatch(int(fd), path, mask)
		return err
	})
	return number, err
}
