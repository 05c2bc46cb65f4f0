package hat

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// awaited is a call of AwaitMatrix or AwaitJoystick in another goroutine.
type awaited[T any] struct {
	result  chan T
	failed  chan error
	reports chan error
	cancel  func()
}

func start[T any](t *testing.T, await func(context.Context, func(error)) (T, error)) *awaited[T] {
	ctx, cancel := context.WithCancel(t.Context())
	a := &awaited[T]{make(chan T, 1), make(chan error, 1), make(chan error, 100), cancel}
	go func() {
		v, err := await(ctx, func(err error) { a.reports <- err })
		if err != nil {
			a.failed <- err
		} else {
			a.result <- v
		}
	}()
	t.Cleanup(cancel)
	return a
}

func (s *tree) startMatrix(t *testing.T, o *Opts) *awaited[*Matrix] {
	return start(t, func(ctx context.Context, report func(error)) (*Matrix, error) {
		return s.awaitMatrix(ctx, o, report)
	})
}

func (s *tree) startJoystick(t *testing.T, o *Opts) *awaited[*Joystick] {
	return start(t, func(ctx context.Context, report func(error)) (*Joystick, error) {
		return s.awaitJoystick(ctx, o, report)
	})
}

// waits checks that the call keeps waiting, and that it reports this kind of error.
func (a *awaited[T]) waits(t *testing.T, kind error) {
	t.Helper()
	select {
	case err := <-a.reports:
		if !errors.Is(err, kind) {
			t.Fatalf("waits for another reason: %v", err)
		}
		line(t, err)
	case <-a.result:
		t.Fatal("opened")
	case err := <-a.failed:
		t.Fatal(err)
	case <-time.After(soon):
		t.Fatal("no report")
	}
}

func (a *awaited[T]) opens(t *testing.T) T {
	t.Helper()
	select {
	case v := <-a.result:
		return v
	case err := <-a.failed:
		t.Fatal(err)
	case <-time.After(soon):
		t.Fatal("still waiting")
	}
	panic("not reached")
}

func (a *awaited[T]) fails(t *testing.T, kind error) {
	t.Helper()
	select {
	case err := <-a.failed:
		if kind != nil && !errors.Is(err, kind) {
			t.Error(err)
		}
	case <-a.result:
		t.Fatal("opened")
	case <-time.After(soon):
		t.Fatal("still waiting")
	}
}

// quiet checks that nothing is opened while nothing happens.
func (s *tree) quiet(t *testing.T) {
	t.Helper()
	before := s.opened.Load()
	time.Sleep(100 * time.Millisecond)
	if after := s.opened.Load(); after != before {
		t.Errorf("opened %d times while nothing happened", after-before)
	}
}

// Older kernels create the device file before its name in /sys; inotify only reports the
// file.
func TestAwaitMatrixNamedLate(t *testing.T) {
	t.Parallel()
	s := newTree(t)
	s.Settling = append(s.Settling, 5*time.Second) // a busy machine may create the name late
	a := s.startMatrix(t, nil)
	a.waits(t, ErrNotFound)
	s.file(t, "fb1", "")
	time.Sleep(20 * time.Millisecond)
	s.name(t, "graphics/fb1/name", "RPi-Sense FB")
	must(t, a.opens(t).Close())
}

// If the name is created before the wait has begun, there is no event at all.
func TestAwaitMatrixNamedLateAtStart(t *testing.T) {
	t.Parallel()
	s := newTree(t)
	s.Settling = append(s.Settling, slices.Repeat([]time.Duration{100 * time.Millisecond}, 600)...)
	s.file(t, "fb1", "")
	a := s.startMatrix(t, nil)
	time.Sleep(20 * time.Millisecond)
	s.name(t, "graphics/fb1/name", "RPi-Sense FB")
	must(t, a.opens(t).Close())
}

func TestAwaitOnThisKernel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	screen, fifo := filepath.Join(dir, "screen"), filepath.Join(dir, "stick")
	a := start(t, func(ctx context.Context, report func(error)) (*Matrix, error) {
		return AwaitMatrix(ctx, &Opts{Framebuffer: screen}, report)
	})
	b := start(t, func(ctx context.Context, report func(error)) (*Joystick, error) {
		return AwaitJoystick(ctx, &Opts{Joystick: fifo}, report)
	})
	must(t, os.WriteFile(screen, nil, 0o600))
	must(t, unix.Mkfifo(fifo, 0o600))
	must(t, a.opens(t).Close())
	must(t, b.opens(t).Close())
}

func TestAwaitJoystickWithoutInputFolder(t *testing.T) {
	t.Parallel()
	s := newTree(t)
	s.name(t, "input/event0/device/name", "Raspberry Pi Sense HAT Joystick")
	for range 3 {
		a := s.startJoystick(t, nil)
		a.waits(t, ErrNotFound)
		s.file(t, "input/event0", "")
		must(t, a.opens(t).Close())
		must(t, os.RemoveAll(filepath.Join(s.dev, "input")))
	}
	// While AwaitJoystick waits, the folder is created, removed and created again.
	a := s.startJoystick(t, nil)
	a.waits(t, ErrNotFound)
	for range 3 {
		must(t, os.Mkdir(filepath.Join(s.dev, "input"), 0o755))
		time.Sleep(10 * time.Millisecond)
		must(t, os.Remove(filepath.Join(s.dev, "input")))
		time.Sleep(10 * time.Millisecond)
	}
	must(t, os.Mkdir(filepath.Join(s.dev, "input"), 0o755))
	time.Sleep(100 * time.Millisecond) // until after the last timed retry
	s.file(t, "input/event0", "")
	must(t, a.opens(t).Close())
}

func TestAwaitExplicitPath(t *testing.T) {
	t.Parallel()
	s := newTree(t)
	path := filepath.Join(filepath.Dir(s.dev), "not", "yet", "stick")
	a := s.startJoystick(t, &Opts{Joystick: path})
	a.waits(t, ErrNotFound)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, unix.Mkfifo(path, 0o600))
	must(t, a.opens(t).Close())
}

func TestAwaitBusy(t *testing.T) {
	for _, name := range []string{"closed", "killed"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTree(t)
			s.name(t, "graphics/fb1/name", "RPi-Sense FB")
			path := s.file(t, "fb1", "")
			holder, first, stdin := child(t, "hold matrix", path)
			if first != "held" {
				t.Fatal(first)
			}
			a := s.startMatrix(t, nil)
			a.waits(t, ErrBusy)
			if n := s.opened.Load(); n != 1 {
				t.Errorf("opened %d times", n)
			}
			// When other processes open and close the device, it is tried again with the same
			// descriptor.
			for range 3 {
				f, err := os.Open(path)
				must(t, err)
				must(t, f.Close())
				time.Sleep(10 * time.Millisecond)
			}
			s.quiet(t)
			if name == "killed" {
				must(t, holder.Process.Kill())
			} else {
				must(t, stdin.Close())
			}
			m := a.opens(t)
			if n := s.opened.Load(); n != 1 {
				t.Errorf("opened %d times", n)
			}
			if name == "closed" {
				must(t, holder.Wait())
			}
			must(t, m.WriteFrame(filled(red)))
			must(t, m.Close())
		})
	}
}

// The kernel announces a close before it releases the lock. AwaitMatrix opens the device in any
// case, even if the lock is released just before the watch is set.
func TestAwaitBusyHandover(t *testing.T) {
	t.Parallel()
	s := newTree(t)
	s.name(t, "graphics/fb1/name", "RPi-Sense FB")
	s.file(t, "fb1", "")
	var players sync.WaitGroup
	for range 8 {
		players.Go(func() {
			for range 25 {
				m, err := s.awaitMatrix(t.Context(), nil, nil)
				if err != nil {
					t.Error(err)
					return
				}
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		players.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(soon):
		t.Fatal("a waiter hangs")
	}
}

// AwaitJoystick waits for a joystick that another program has grabbed without taking the lock.
func TestAwaitGrab(t *testing.T) {
	t.Parallel()
	s := newTree(t)
	s.name(t, "input/event0/device/name", "Raspberry Pi Sense HAT Joystick")
	// A character device that no other process opens; the test sets its answers.
	tty, _ := pty(t)
	path := s.file(t, "input/event0", tty)
	d := &scripted{grabs: []error{unix.EBUSY, unix.EBUSY, unix.EBUSY, unix.EBUSY, unix.EBUSY, nil}}
	s.device.Store(d)
	a := s.startJoystick(t, nil)
	a.waits(t, ErrBusy)
	if n := s.opened.Load(); n != 1 || d.closed != 0 {
		t.Errorf("opened %d times, closed %d times", n, d.closed)
	}
	// The lock and the grab are tried at once, after the watch is set, and after each pause.
	if n := len(d.asked()); n != 2*(2+len(s.Settling)) {
		t.Errorf("asked for %v", d.asked())
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOCTTY, 0)
	must(t, err)
	must(t, f.Close())
	must(t, a.opens(t).Close())
	if n := s.opened.Load(); n != 1 || d.closed != 1 {
		t.Errorf("opened %d times, closed %d times", n, d.closed)
	}
}

// broken is a real file that fails to write frames.
type broken struct{ file }

func (broken) WriteAt([]byte, int64) (int, error) { return 0, unix.EIO }

// Each try opens a device that fails, and closes it. This close must not be mistaken for one by
// another process.
func TestAwaitIdle(t *testing.T) {
	t.Parallel()
	s := newTree(t)
	s.name(t, "graphics/fb1/name", "RPi-Sense FB")
	path := s.file(t, "fb1", "")
	open := s.open
	s.open = func(path string, flag int) (node, error) {
		n, err := open(path, flag)
		if err != nil {
			return nil, err
		}
		return broken{n.(file)}, nil
	}
	holder, err := OpenMatrix(&Opts{Framebuffer: path})
	must(t, err)
	a := s.startMatrix(t, nil)
	a.waits(t, ErrBusy)
	must(t, holder.Close())
	a.waits(t, ErrGone)
	s.quiet(t)
	if n := s.opened.Load(); n > 20 {
		t.Errorf("opened %d times", n)
	}
}

func TestReconnect(t *testing.T) {
	t.Parallel()
	s := newTree(t)
	s.name(t, "graphics/fb1/name", "RPi-Sense FB")
	path := s.file(t, "fb1", "/dev/null")
	d := senseHAT()
	s.device.Store(d)
	m, err := s.awaitMatrix(t.Context(), nil, nil)
	must(t, err)

	must(t, os.Remove(path))
	must(t, os.RemoveAll(filepath.Join(s.sys, "class/graphics/fb1")))
	d.write = func([]byte, int64) (int, error) { return 0, unix.ENODEV }
	kinds(t, m.WriteFrame(filled(red)), ErrGone)
	kinds(t, m.Close(), ErrGone)
	if d.closed != 1 {
		t.Error("not closed")
	}

	a := s.startMatrix(t, nil)
	a.waits(t, ErrNotFound)
	s.quiet(t)
	back := senseHAT()
	back.screens = []error{unix.ENODEV, nil} // not ready yet
	s.device.Store(back)
	s.name(t, "graphics/fb2/name", "RPi-Sense FB")
	s.file(t, "fb2", "/dev/null")
	m = a.opens(t)
	must(t, m.WriteFrame(filled(red)))
	if !strings.HasSuffix(m.String(), "fb2") {
		t.Error(m)
	}
}

func TestAwaitReports(t *testing.T) {
	t.Parallel()
	s := newTree(t)
	a := s.startMatrix(t, nil)
	a.waits(t, ErrNotFound)
	for range 3 {
		s.file(t, "other", "")
		must(t, os.Remove(filepath.Join(s.dev, "other")))
		time.Sleep(100 * time.Millisecond)
	}
	if n := len(a.reports); n != 0 {
		t.Errorf("reported %d times more", n)
	}
	// The error of the old device is reported first, then that of the new one.
	lock, err := OpenMatrix(&Opts{Framebuffer: s.file(t, "fb0", "")})
	must(t, err)
	s.name(t, "graphics/fb0/name", "RPi-Sense FB")
	must(t, os.Chmod(filepath.Join(s.dev, "fb0"), 0o600))
	a.waits(t, ErrBusy)
	must(t, lock.Close())
	must(t, a.opens(t).Close())
}

func TestAwaitErrors(t *testing.T) {
	s := newTree(t)
	busy := filepath.Join(s.dev, "busy")
	must(t, os.WriteFile(busy, nil, 0o600))
	m, err := OpenMatrix(&Opts{Framebuffer: busy})
	must(t, err)
	defer m.Close()

	for name, o := range map[string]*Opts{"missing": nil, "busy": {Framebuffer: busy}} {
		before := runtime.NumGoroutine()
		a := s.startMatrix(t, o)
		select {
		case <-a.reports:
		case <-time.After(soon):
			t.Fatal("no report")
		}
		a.cancel()
		a.fails(t, context.Canceled)
		for until := time.Now().Add(soon); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Now().After(until) {
				stacks := make([]byte, 1<<16)
				t.Fatalf("%s: goroutines left:\n%s", name, stacks[:runtime.Stack(stacks, true)])
			}
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	opened := s.opened.Load()
	if _, err := s.awaitMatrix(ctx, &Opts{Framebuffer: busy}, nil); !errors.Is(err, context.Canceled) || s.opened.Load() != opened {
		t.Errorf("with a context that has ended: %v, or the device was opened", err)
	}

	// Errors that waiting does not cure are returned.
	s.startMatrix(t, &Opts{Rotate: 45}).fails(t, nil)
	s.startJoystick(t, &Opts{Rotate: 45}).fails(t, nil)
	s.startMatrix(t, &Opts{Framebuffer: "/dev/null"}).fails(t, unix.ENOTTY)
	s.startJoystick(t, &Opts{Joystick: "/dev/null"}).fails(t, unix.ENOTTY)
}

// No descriptor leaks, whether the device was opened or not.
func TestAwaitDescriptors(t *testing.T) {
	s := newTree(t)
	path := s.file(t, "busy", "")
	m, err := OpenMatrix(&Opts{Framebuffer: path})
	must(t, err)
	count := func() int {
		fds, err := os.ReadDir("/proc/self/fd")
		must(t, err)
		return len(fds)
	}
	before := count()
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Millisecond)
		if _, err := s.awaitMatrix(ctx, &Opts{Framebuffer: path}, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		cancel()
		if _, err := s.openMatrix(&Opts{Framebuffer: path}); !errors.Is(err, ErrBusy) {
			t.Error(err)
		}
		if _, err := s.openMatrix(&Opts{Framebuffer: "/dev/null"}); err == nil {
			t.Error("opened")
		}
	}
	must(t, m.Close())
	for range 20 {
		m, err := s.awaitMatrix(t.Context(), &Opts{Framebuffer: path}, nil)
		must(t, err)
		must(t, m.Close())
	}
	if after := count(); after >= before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
}

// At boot udev loads the drivers late, and a device's file appears before udev has set its group: a
// missing device or permission is reported only if it lasts, and not while the machine starts.
func TestAwaitGrace(t *testing.T) {
	t.Parallel()
	// A slow machine's udev took 7 s to set a group, and 33 s to load the drivers.
	if k := kernel(); k.Patience < 10*time.Second || k.Booting < time.Minute || k.Failing > 4*time.Second {
		t.Errorf("patience %v, %v while booting; a failing device is tried every %v", k.Patience, k.Booting, k.Failing)
	}
	const short = 60 * time.Millisecond
	for _, kind := range []error{ErrNotFound, ErrPermission} {
		for _, c := range []struct{ patience, booting time.Duration }{{time.Hour, 0}, {short, math.MaxInt64}, {short, 0}, {short, short}} {
			s := newTree(t)
			s.Patience, s.Booting = c.patience, c.booting
			var tried atomic.Int32
			var mended atomic.Bool
			open := s.open
			s.open = func(path string, flag int) (node, error) {
				if tried.Add(1); mended.Load() {
					return open(path, flag)
				}
				return nil, map[error]error{ErrNotFound: unix.ENOENT, ErrPermission: unix.EACCES}[kind]
			}
			s.name(t, "graphics/fb1/name", "RPi-Sense FB")
			fb := s.file(t, "fb1", "")
			a := s.startMatrix(t, nil)
			for tried.Load() < int32(1+len(s.Settling)) {
				time.Sleep(time.Millisecond)
			}
			if max(c.patience, c.booting) == short {
				a.waits(t, kind)
			}
			time.Sleep(20 * time.Millisecond) // time for an early report
			mended.Store(true)
			must(t, os.Chmod(fb, 0o640))
			must(t, a.opens(t).Close())
			if n := len(a.reports); n != 0 {
				t.Errorf("%v, with patience of %v, and %v while booting, %d reports: %v", kind, c.patience, c.booting, n, <-a.reports)
			}
		}
	}
}

// What is missing again after the device was unplugged is reported as late as the first time: udev
// has to load the driver, and to set the new file's group.
func TestAwaitGraceAgain(t *testing.T) {
	t.Parallel()
	s := newTree(t)
	s.Patience, s.Booting = 300*time.Millisecond, 0
	s.name(t, "graphics/fb1/name", "RPi-Sense FB")
	s.open = func(path string, _ int) (node, error) {
		return nil, &os.PathError{Op: "open", Path: path, Err: unix.EACCES}
	}
	began := time.Now()
	waits := func(a *awaited[*Matrix], kind error) {
		a.waits(t, kind)
		if took := time.Since(began); took < s.Patience {
			t.Errorf("%v reported after %v", kind, took)
		}
		began = time.Now()
	}
	a := s.startMatrix(t, nil)
	waits(a, ErrNotFound)
	for range 2 {
		fb := s.file(t, "fb1", "")
		waits(a, ErrPermission)
		must(t, os.Rename(fb, filepath.Join(s.dev, "away")))
		waits(a, ErrNotFound)
	}
}

// No event reports that a failing matrix works again: it is tried again at intervals, and the
// reason is reported once.
func TestAwaitFailingMatrix(t *testing.T) {
	t.Parallel()
	s := newTree(t)
	s.Failing = 30 * time.Millisecond
	s.name(t, "graphics/fb1/name", "RPi-Sense FB")
	s.file(t, "fb1", "/dev/null")
	d := senseHAT()
	var works atomic.Bool
	d.write = func(p []byte, _ int64) (int, error) {
		if !works.Load() {
			return 0, unix.EIO
		}
		return len(p), nil
	}
	s.device.Store(d)
	began := time.Now()
	a := s.startMatrix(t, nil)
	a.waits(t, ErrGone)
	for until := time.Now().Add(soon); s.opened.Load() < 12; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("opened %d times", s.opened.Load())
		}
	}
	// The matrix is tried at once, after each settling pause, and then at most once per failing
	// interval.
	if n, most := int(s.opened.Load()), 1+len(s.Settling)+int(time.Since(began)/s.Failing); n > most {
		t.Errorf("opened %d times, want at most %d", n, most)
	}
	if n := len(a.reports); n != 0 {
		t.Errorf("%d more reports", n)
	}
	works.Store(true)
	must(t, a.opens(t).WriteFrame(filled(red)))
}
