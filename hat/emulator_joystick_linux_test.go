package hat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Records of either word size are decoded, and datagrams that are not records are ignored.
func TestEmulatorKeys(t *testing.T) {
	w := newWindow(t)
	w.opts.Rotate = 90
	s, err := Emulator{}.OpenJoystick(w.opts)
	must(t, err)
	defer s.Close()
	client := w.client()
	for _, size := range []int{24, 16} {
		w.send(client, []byte{}, []byte("hello"))
		for _, odd := range []int{8, 9, 15, 17, 23, 25, 31, 32, 33, 40, 48, 4096} {
			w.send(client, sized(odd, evKey, 106, 1))
		}
		w.send(client, sized(size, evKey, 103, 1), sized(size, evKey, 103, 2), sized(size, evKey, 103, 2), sized(size, evKey, 103, 0),
			sized(size, evKey, 28, 1), sized(size, evKey, 28, 0), sized(size, evKey, 30, 1))
		for _, want := range []Event{{Left, Press}, {Left, Hold}, {Left, Hold}, {Left, Release}, {Middle, Press}, {Middle, Release}} {
			if e, err := next(t, s); e != want || err != nil {
				t.Fatalf("%d bytes: %v, %v, want %v", size, e, err, want)
			}
		}
	}
	line(t, fmt.Errorf("hat: %v", s), w.opts.Joystick)
}

// The emulator is greeted every second, even while keys arrive; datagrams from other senders are
// ignored.
func TestEmulatorHello(t *testing.T) {
	t.Parallel()
	w := newWindow(t)
	began := time.Now() // before the first greeting, which may arrive late
	s, err := Emulator{}.OpenJoystick(w.opts)
	must(t, err)
	defer s.Close()
	go func() {
		for err := error(nil); err == nil; _, err = s.ReadEvent() {
		}
	}()
	client := w.client()
	for range 2 {
		for range 5 {
			w.send(client, sized(24, evKey, 103, 1), sized(24, evKey, 103, 0))
			time.Sleep(50 * time.Millisecond)
		}
		if again := w.client(); again != client {
			t.Fatalf("greeted from %s and %s", client, again)
		}
	}
	if d := time.Since(began); d < 2*helloEvery || d > 10*helloEvery {
		t.Errorf("greeted twice more in %v", d)
	}
	other, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	defer unix.Close(other)
	if err := unix.Sendto(other, sized(24, evKey, 103, 1), 0, &unix.SockaddrUnix{Name: client}); err != unix.EPERM {
		t.Errorf("a stranger's key: %v", err)
	}
}

// An emulator that does not read for a while, such as a stopped one, does not count as
// disconnected.
func TestEmulatorBusy(t *testing.T) {
	t.Parallel()
	w := newWindow(t)
	s, err := Emulator{}.OpenJoystick(w.opts)
	must(t, err)
	defer s.Close()
	client := w.client()
	for range 1000 { // more than the kernel queues
		must(t, s.device.(*emulatedKeys).greet())
	}
	for range 2 {
		time.Sleep(helloEvery)
		w.send(client, sized(24, evKey, 103, 1))
		if e, err := next(t, s); e != (Event{Up, Press}) || err != nil {
			t.Error(e, err)
		}
	}
}

// The emulator exits or is killed, and starts again; no file or descriptor is left behind.
func TestEmulatorRestart(t *testing.T) {
	w := newWindow(t)
	w.end()
	must(t, os.Remove(w.opts.Joystick))
	before := descriptors(t)
	for i := range 2 {
		_, err := Emulator{}.OpenJoystick(w.opts)
		kinds(t, err, ErrNotFound, os.ErrNotExist)
		line(t, err, "the Sense HAT emulator is not running: start sense_emu_gui")
		a := start(t, func(ctx context.Context, report func(error)) (*Joystick, error) {
			return Emulator{}.AwaitJoystick(ctx, w.opts, report)
		})
		a.waits(t, ErrNotFound)
		w.start()
		s := a.opens(t)
		client := w.client()
		w.send(client, sized(24, evKey, 105, 1))
		if e, err := next(t, s); e != (Event{Left, Press}) || err != nil {
			t.Fatal(e, err)
		}
		w.end()
		if i%2 == 0 {
			must(t, os.Remove(w.opts.Joystick))
		}
		_, err = next(t, s)
		kinds(t, err, ErrGone)
		line(t, err, "joystick "+w.opts.Joystick, "was disconnected")
		must(t, s.Close())
		if _, err := os.Lstat(client); err == nil {
			t.Errorf("%s is left", client)
		}
	}
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors, then %d", before, after)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(fds)
}

// Close removes the address and ends a blocked ReadEvent.
func TestEmulatorJoystickClose(t *testing.T) {
	w := newWindow(t)
	s, err := Emulator{}.OpenJoystick(w.opts)
	must(t, err)
	time.AfterFunc(20*time.Millisecond, func() { s.Close() })
	if _, err := next(t, s); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(w.opts.Joystick), "*client*")); left != nil {
		t.Errorf("%v are left", left)
	}
}

// The joystick can be opened if a dead process left the address behind, but not if the address
// cannot be used.
func TestEmulatorClientAddress(t *testing.T) {
	w := newWindow(t)
	own := filepath.Join(filepath.Dir(w.opts.Joystick), fmt.Sprintf("rpi-sense-emu-client-%d", os.Getpid()))
	stale, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	must(t, unix.Bind(stale, &unix.SockaddrUnix{Name: own}))
	must(t, unix.Close(stale))
	s, err := Emulator{}.OpenJoystick(w.opts)
	must(t, err)
	if client := w.client(); client != own {
		t.Errorf("greeted from %s, want %s", client, own)
	}
	must(t, s.Close())

	before := descriptors(t)
	must(t, os.Mkdir(own, 0o700))
	_, err = Emulator{}.OpenJoystick(w.opts)
	kinds(t, err, ErrPermission, os.ErrPermission)
	line(t, err, own+" exists and belongs to another user", "removed")
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors, then %d", before, after)
	}
}

// A file that is not the emulator's socket is an error.
func TestEmulatorJoystickWrongFile(t *testing.T) {
	for name, test := range map[string]struct {
		make func(t *testing.T, path string) error
		kind error
		says string
	}{
		"file":    {func(_ *testing.T, path string) error { return os.WriteFile(path, nil, 0o600) }, ErrNotFound, "remove it"},
		"link":    {func(_ *testing.T, path string) error { return os.Symlink(path+".real", path) }, ErrNotFound, "remove it"},
		"stream":  {func(t *testing.T, path string) error { return bound(t, unix.SOCK_STREAM, path) }, ErrGone, "wrong type"},
		"dead":    {func(_ *testing.T, path string) error { return os.Rename(path+".dead", path) }, ErrNotFound, "is not running: start sense_emu_gui"},
		"foreign": {func(t *testing.T, path string) error { return foreign(t, path, nil) }, ErrPermission, "belongs to user ID 1"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWindow(t)
			must(t, os.Rename(w.opts.Joystick, w.opts.Joystick+".dead"))
			w.end()
			w.start()
			must(t, os.Rename(w.opts.Joystick, w.opts.Joystick+".real"))
			must(t, test.make(t, w.opts.Joystick))
			_, err := Emulator{}.OpenJoystick(w.opts)
			line(t, err, test.says)
			if !errors.Is(err, test.kind) || curable(err) == nil {
				t.Errorf("%v", err)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(w.opts.Joystick), "*client*")); left != nil {
				t.Errorf("%v are left", left)
			}
		})
	}
}

// bound makes a socket of another kind, with a listener.
func bound(t *testing.T, kind int, path string) error {
	s, err := unix.Socket(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	t.Cleanup(func() { unix.Close(s) })
	return errors.Join(unix.Bind(s, &unix.SockaddrUnix{Name: path}), unix.Listen(s, 1))
}
