package emulator

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image/color"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/dev/socketdir"
	"github.com/c4hat/c4hat/internal/dev/try"
	"golang.org/x/sys/unix"
)

// soon is a timeout for what happens at once or never. It is long enough for a busy, slow machine.
const soon = 5 * time.Minute

// window is an emulator as its clients see it: a screen file, and a socket while it is running.
type window struct {
	t      *testing.T
	opts   *hat.Opts
	socket int // -1 while the emulator is not running
}

// gammaTable follows the pixels.
var gammaTable = []byte("0123456789abcdefghijklmnopqrstuv")

func newWindow(t *testing.T) *window {
	t.Helper()
	dir := socketdir.New(t)
	w := &window{t, &hat.Opts{Framebuffer: filepath.Join(dir, "screen"), Joystick: filepath.Join(dir, "stick")}, -1}
	w.start()
	return w
}

// start does the same as screen.py's init_screen and stick.py's StickServer.
func (w *window) start() {
	w.t.Helper()
	if _, err := os.Stat(w.opts.Framebuffer); err != nil {
		f, err := os.Create(w.opts.Framebuffer)
		must(w.t, err)
		for _, part := range [][]byte{make([]byte, 128), gammaTable} {
			_, err := f.Write(part)
			must(w.t, err)
			time.Sleep(time.Millisecond)
		}
		must(w.t, f.Close())
	}
	_ = unix.Unlink(w.opts.Joystick)
	var err error
	w.socket, err = unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	must(w.t, err)
	soonest := unix.NsecToTimeval(soon.Nanoseconds())
	must(w.t, unix.SetsockoptTimeval(w.socket, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &soonest))
	must(w.t, unix.Bind(w.socket, &unix.SockaddrUnix{Name: w.opts.Joystick}))
	socket := w.socket
	w.t.Cleanup(func() {
		if w.socket == socket {
			w.end()
		}
	})
}

// end leaves the socket's file behind, as an emulator that is killed does.
func (w *window) end() {
	must(w.t, unix.Close(w.socket))
	w.socket = -1
}

// client receives the next greeting and returns the address that it comes from.
func (w *window) client() string {
	w.t.Helper()
	var buf [64]byte
	n, from, err := unix.Recvfrom(w.socket, buf[:], 0)
	for err == unix.EINTR { // a receive with a timeout is not restarted, see signal(7)
		n, from, err = unix.Recvfrom(w.socket, buf[:], 0)
	}
	must(w.t, err)
	if string(buf[:n]) != "hello" {
		w.t.Fatalf("the greeting is %q", buf[:n])
	}
	return from.(*unix.SockaddrUnix).Name
}

func (w *window) send(client string, datagrams ...[]byte) {
	w.t.Helper()
	for _, d := range datagrams {
		must(w.t, unix.Sendto(w.socket, d, 0, &unix.SockaddrUnix{Name: client}))
	}
}

func (w *window) joystick() *hat.Joystick {
	w.t.Helper()
	s, err := OpenJoystick(w.opts)
	must(w.t, err)
	w.t.Cleanup(func() { s.Close() })
	return s
}

// key is a datagram of the given size.
func key(size int, code uint16, value int32) []byte {
	b := bytes.Repeat([]byte{1}, max(0, size-8))
	b = binary.NativeEndian.AppendUint16(b, 1) // EV_KEY
	b = binary.NativeEndian.AppendUint16(b, code)
	return binary.NativeEndian.AppendUint32(b, uint32(value))[:size]
}

// next returns the joystick's next event, or fails the test.
func next(t *testing.T, s *hat.Joystick) (e hat.Event, err error) {
	t.Helper()
	within(t, func() { e, err = s.ReadEvent() })
	return e, err
}

// within calls f, which must return soon.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(soon):
		t.Fatal("still waiting")
	}
}

var must = try.Must

// fails checks the kind of an error, that it is one line, and what it says.
func fails(t *testing.T, err, kind error, says ...string) {
	t.Helper()
	if !errors.Is(err, kind) || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "hat: ") {
		t.Errorf("%v, want one line, %v", err, kind)
		return
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%q does not say %q", err, s)
		}
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(fds)
}

// The screen's pixels are written, and the gamma table behind them stays. The screen is in use while
// another matrix has it.
func TestScreen(t *testing.T) {
	w := newWindow(t)
	before := descriptors(t)
	m, err := OpenMatrix(w.opts)
	must(t, err)
	_, err = OpenMatrix(w.opts)
	fails(t, err, hat.ErrBusy, w.opts.Framebuffer, "in use by", fmt.Sprint(os.Getpid()))
	for _, c := range []color.RGBA{{R: 248, A: 255}, {}} {
		must(t, m.WriteFrame(&[64]color.RGBA{63: c}))
		pixels := binary.NativeEndian.AppendUint16(make([]byte, 126), uint16(c.R)<<8)
		if got, err := os.ReadFile(w.opts.Framebuffer); err != nil || !bytes.Equal(got, append(pixels, gammaTable...)) {
			t.Fatalf("the emulator has\n%x, %v", got, err)
		}
	}
	must(t, m.Close())
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors, then %d", before, after)
	}
}

// Files that are not the emulator's are errors that waiting may cure, and stay unchanged.
func TestWrongFiles(t *testing.T) {
	contents := func(size int) func(*testing.T, string) error {
		return func(_ *testing.T, path string) error { return os.WriteFile(path, make([]byte, size), 0o600) }
	}
	for name, test := range map[string]struct {
		make func(t *testing.T, path string) error
		says string
	}{
		"screen missing": {func(*testing.T, string) error { return nil }, "is missing: start sense_emu_gui"},
		"screen short":   {contents(159), "remove it"},
		"screen long":    {contents(161), "remove it"},
		"screen folder":  {func(_ *testing.T, path string) error { return os.Mkdir(path, 0o700) }, "remove it"},
		"screen pipe":    {func(_ *testing.T, path string) error { return unix.Mkfifo(path, 0o600) }, "remove it"},
		"screen link":    {func(_ *testing.T, path string) error { return os.Symlink(path+".real", path) }, "remove it"},
		"stick file":     {contents(0), "is not running: start sense_emu_gui"},
		"stick stream":   {bound, "wrong type"},
		"stick dead":     {func(_ *testing.T, path string) error { return os.Rename(path+".real", path) }, "is not running: start sense_emu_gui"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWindow(t)
			if name == "stick dead" {
				w.end()
			}
			path, open := w.opts.Framebuffer, func() (err error) { _, err = OpenMatrix(w.opts); return err }
			if strings.HasPrefix(name, "stick") {
				path, open = w.opts.Joystick, func() (err error) { _, err = OpenJoystick(w.opts); return err }
			}
			must(t, os.Rename(path, path+".real"))
			must(t, test.make(t, path))
			before, _ := os.Lstat(path)
			fails(t, open(), hat.ErrNotFound, test.says)
			after, _ := os.Lstat(path)
			if (before == nil) != (after == nil) || before != nil && (before.Size() != after.Size() || before.Mode() != after.Mode()) {
				t.Errorf("%v became %v", before, after)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*client*")); left != nil {
				t.Errorf("%v are left", left)
			}
		})
	}
}

// bound makes a socket of another kind, with a listener.
func bound(t *testing.T, path string) error {
	s, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	t.Cleanup(func() { unix.Close(s) })
	return errors.Join(unix.Bind(s, &unix.SockaddrUnix{Name: path}), unix.Listen(s, 1))
}

// Records of either word size are decoded, and datagrams that are not records are ignored.
func TestKeys(t *testing.T) {
	w := newWindow(t)
	w.opts.Rotate = 90
	s := w.joystick()
	client := w.client()
	for _, size := range []int{24, 16} {
		w.send(client, []byte{}, []byte("hello"))
		for _, odd := range []int{8, 9, 15, 17, 23, 25, 31, 32, 33, 40, 48, 4096} {
			w.send(client, key(odd, 106, 1))
		}
		w.send(client, key(size, 103, 1), key(size, 103, 2), key(size, 103, 2), key(size, 103, 0),
			key(size, 28, 1), key(size, 28, 0), key(size, 30, 1))
		for _, want := range []hat.Event{{Key: hat.Left, Action: hat.Press}, {Key: hat.Left, Action: hat.Hold}, {Key: hat.Left, Action: hat.Hold},
			{Key: hat.Left, Action: hat.Release}, {Key: hat.Middle, Action: hat.Press}, {Key: hat.Middle, Action: hat.Release}} {
			if e, err := next(t, s); e != want || err != nil {
				t.Fatalf("%d bytes: %v, %v, want %v", size, e, err, want)
			}
		}
	}
	if !strings.Contains(s.String(), w.opts.Joystick) {
		t.Error(s)
	}
}

// The emulator is greeted every second, even while keys arrive; datagrams from other senders are
// ignored.
func TestHello(t *testing.T) {
	t.Parallel()
	w := newWindow(t)
	began := time.Now() // before the first greeting, which may arrive late
	s := w.joystick()
	go func() {
		for err := error(nil); err == nil; _, err = s.ReadEvent() {
		}
	}()
	client := w.client()
	for range 2 {
		w.send(client, key(24, 103, 1), key(24, 103, 0))
		if again := w.client(); again != client {
			t.Fatalf("greeted from %s and %s", client, again)
		}
	}
	if d := time.Since(began); d < 2*helloEvery {
		t.Errorf("greeted twice more in %v", d)
	}
	other, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	defer unix.Close(other)
	if err := unix.Sendto(other, key(24, 103, 1), 0, &unix.SockaddrUnix{Name: client}); err != unix.EPERM {
		t.Errorf("a stranger's key: %v", err)
	}
}

// The emulator exits or is killed, and starts again; no file or descriptor is left behind. Close ends
// a blocked ReadEvent.
func TestRestart(t *testing.T) {
	w := newWindow(t)
	w.end()
	must(t, os.Remove(w.opts.Joystick))
	before := descriptors(t)
	for _, killed := range []bool{false, true} {
		_, err := OpenJoystick(w.opts)
		fails(t, err, hat.ErrNotFound, "the Sense HAT emulator is not running: start sense_emu_gui")
		if !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		w.start()
		s := w.joystick()
		client := w.client()
		w.send(client, key(24, 105, 1))
		if e, err := next(t, s); e != (hat.Event{Key: hat.Left, Action: hat.Press}) || err != nil {
			t.Fatal(e, err)
		}
		w.end()
		if !killed {
			must(t, os.Remove(w.opts.Joystick))
		}
		_, err = next(t, s)
		fails(t, err, hat.ErrGone, "joystick "+w.opts.Joystick, "was disconnected")
		must(t, s.Close())
		if _, err := os.Lstat(client); err == nil {
			t.Errorf("%s is left", client)
		}
	}
	w.start()
	s := w.joystick()
	time.AfterFunc(20*time.Millisecond, func() { s.Close() })
	if _, err := next(t, s); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	w.end()
	within(t, func() { // the window's own files may be closed a moment later
		for descriptors(t) > before {
			time.Sleep(time.Millisecond)
		}
	})
}

// The joystick can be opened if a dead process left the address behind, but not if the address
// cannot be used.
func TestClientAddress(t *testing.T) {
	w := newWindow(t)
	own := filepath.Join(filepath.Dir(w.opts.Joystick), fmt.Sprintf("rpi-sense-emu-client-%d", os.Getpid()))
	must(t, os.WriteFile(own, nil, 0o600))
	s := w.joystick()
	if client := w.client(); client != own {
		t.Errorf("greeted from %s, want %s", client, own)
	}
	must(t, s.Close())

	before := descriptors(t)
	must(t, os.MkdirAll(filepath.Join(own, "full"), 0o700))
	_, err := OpenJoystick(w.opts)
	fails(t, err, hat.ErrPermission, "belongs to another user")
	if _, err := OpenJoystick(&hat.Opts{Joystick: w.opts.Joystick, Rotate: 45}); err == nil {
		t.Error("a rotation by 45 degrees was accepted")
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors, then %d", before, after)
	}
}
