package emulator

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image/color"
	"io/fs"
	"net"
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

var must = try.Must

// window is an emulator as its clients see it: a screen file, and a socket while it is running.
type window struct {
	*testing.T
	opts *hat.Opts
	conn *net.UnixConn
}

// gammaTable follows the pixels.
var gammaTable = []byte("0123456789abcdefghijklmnopqrstuv")

func newWindow(t *testing.T) *window {
	t.Helper()
	dir := socketdir.New(t)
	w := &window{t, &hat.Opts{Framebuffer: filepath.Join(dir, "screen"), Joystick: filepath.Join(dir, "stick")}, nil}
	must(t, os.WriteFile(w.opts.Framebuffer, append(make([]byte, 128), gammaTable...), 0o600))
	w.start()
	return w
}

// start does the same as stick.py's StickServer. The socket's file stays when it is closed, as that of an emulator
// that is killed.
func (w *window) start() {
	w.Helper()
	_ = os.Remove(w.opts.Joystick)
	conn, err := net.ListenUnixgram("unixgram", at(w.opts.Joystick))
	must(w.T, err)
	w.Cleanup(func() { conn.Close() })
	w.conn = conn
}

func at(path string) *net.UnixAddr { return &net.UnixAddr{Name: path, Net: "unixgram"} }

// client receives the next greeting and returns the address that it comes from.
func (w *window) client() string {
	w.Helper()
	var buf [64]byte
	n, from, err := w.conn.ReadFromUnix(buf[:])
	must(w.T, err)
	if string(buf[:n]) != "hello" {
		w.Fatalf("the greeting is %q", buf[:n])
	}
	return from.Name
}

func (w *window) send(client string, datagrams ...[]byte) {
	w.Helper()
	for _, d := range datagrams {
		_, err := w.conn.WriteToUnix(d, at(client))
		must(w.T, err)
	}
}

func (w *window) joystick() *hat.Joystick {
	w.Helper()
	s, err := OpenJoystick(w.opts)
	must(w.T, err)
	w.Cleanup(func() { s.Close() })
	return s
}

// key is a datagram of the given size.
func key(size int, code uint16, value int32) []byte {
	b := bytes.Repeat([]byte{1}, max(0, size-8))
	b = binary.NativeEndian.AppendUint16(b, 1) // EV_KEY
	b = binary.NativeEndian.AppendUint16(b, code)
	return binary.NativeEndian.AppendUint32(b, uint32(value))[:size]
}

// fails checks the kind of an error, that it is one line, and what it says.
func (w *window) fails(err, kind error, says ...string) {
	w.Helper()
	if !errors.Is(err, kind) || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "hat: ") {
		w.Errorf("%v, want one line, %v", err, kind)
		return
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			w.Errorf("%q does not say %q", err, s)
		}
	}
}

// descriptors checks at the end that none is left open.
func (w *window) descriptors() (check func()) {
	count := func() int {
		fds, _ := os.ReadDir("/proc/self/fd")
		return len(fds)
	}
	before := count()
	return func() {
		if after := count(); after > before {
			w.Errorf("%d descriptors, then %d", before, after)
		}
	}
}

// Without paths, the files are those that sense_emu_gui makes.
func TestFiles(t *testing.T) {
	if o := files(nil); o.Framebuffer != "/dev/shm/rpi-sense-emu-screen" || o.Joystick != "/dev/shm/rpi-sense-emu-stick" {
		t.Errorf("%+v", o)
	}
}

// The screen's pixels are written, and the gamma table behind them stays. The screen is in use while
// another matrix has it.
func TestScreen(t *testing.T) {
	w := newWindow(t)
	defer w.descriptors()()
	m, err := OpenMatrix(w.opts)
	must(t, err)
	_, err = OpenMatrix(w.opts)
	w.fails(err, hat.ErrBusy, w.opts.Framebuffer, "in use by", fmt.Sprint(os.Getpid()))
	for _, c := range []color.RGBA{{R: 248, A: 255}, {}} {
		must(t, m.WriteFrame(&[64]color.RGBA{63: c}))
		pixels := binary.NativeEndian.AppendUint16(make([]byte, 126), uint16(c.R)<<8)
		if got, err := os.ReadFile(w.opts.Framebuffer); err != nil || !bytes.Equal(got, append(pixels, gammaTable...)) {
			t.Fatalf("the emulator has\n%x, %v", got, err)
		}
	}
	must(t, m.Close())
}

// Files that are not the emulator's are errors that waiting may cure, and stay unchanged.
func TestWrongFiles(t *testing.T) {
	contents := func(size int) func(string) error {
		return func(path string) error { return os.WriteFile(path, make([]byte, size), 0o600) }
	}
	for name, test := range map[string]struct {
		make func(path string) error
		says string
	}{
		"screen missing": {func(string) error { return nil }, "is missing: start or restart sense_emu_gui"},
		"screen short":   {contents(159), "remove it"},
		"screen long":    {contents(161), "remove it"},
		"screen folder":  {func(path string) error { return os.Mkdir(path, 0o700) }, "remove it"},
		"screen pipe":    {func(path string) error { return unix.Mkfifo(path, 0o600) }, "remove it"},
		"screen link":    {func(path string) error { return os.Symlink(path+".real", path) }, "remove it"},
		"stick file":     {contents(0), "is not running: start sense_emu_gui"},
		"stick stream":   {func(path string) error { return stream(t, path) }, "wrong type"},
	} {
		w := newWindow(t)
		path, open := w.opts.Framebuffer, func() (err error) { _, err = OpenMatrix(w.opts); return err }
		if strings.HasPrefix(name, "stick") {
			path, open = w.opts.Joystick, func() (err error) { _, err = OpenJoystick(w.opts); return err }
		}
		must(t, os.Rename(path, path+".real"))
		must(t, test.make(path))
		before, _ := os.Lstat(path)
		w.fails(open(), hat.ErrNotFound, test.says)
		after, _ := os.Lstat(path)
		if (before == nil) != (after == nil) || before != nil && (before.Size() != after.Size() || before.Mode() != after.Mode()) {
			t.Errorf("%s: %v became %v", name, before, after)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*client*")); left != nil {
			t.Errorf("%s: %v are left", name, left)
		}
	}
}

// stream makes a socket of another kind.
func stream(t *testing.T, path string) error {
	l, err := net.Listen("unix", path)
	if err == nil {
		t.Cleanup(func() { l.Close() })
	}
	return err
}

// Records of either word size are decoded, and datagrams that are not records are ignored. The emulator is greeted every
// second, even while keys arrive, and nobody else can send keys.
func TestKeys(t *testing.T) {
	t.Parallel()
	w := newWindow(t)
	began := time.Now() // before the first greeting, which may arrive late
	s := w.joystick()
	must(t, s.Rotate(90))
	client := w.client()
	for _, size := range []int{24, 16} {
		w.send(client, []byte{}, []byte("hello"))
		for _, odd := range []int{8, 9, 15, 17, 23, 25, 31, 32, 33, 40, 48, 4096} {
			w.send(client, key(odd, 106, 1))
		}
		w.send(client, key(size, 103, 1), key(size, 103, 2), key(size, 103, 0), key(size, 28, 1), key(size, 28, 0), key(size, 30, 1))
		for _, want := range []hat.Event{{Key: hat.Left, Action: hat.Press}, {Key: hat.Left, Action: hat.Hold},
			{Key: hat.Left, Action: hat.Release}, {Key: hat.Middle, Action: hat.Press}, {Key: hat.Middle, Action: hat.Release}} {
			if e, err := s.ReadEvent(); e != want || err != nil {
				t.Fatalf("%d bytes: %v, %v, want %v", size, e, err, want)
			}
		}
	}
	if !strings.Contains(s.String(), w.opts.Joystick) {
		t.Error(s)
	}
	go func() {
		for err := error(nil); err == nil; _, err = s.ReadEvent() {
		}
	}()
	for range 2 {
		w.send(client, key(24, 103, 1), key(24, 103, 0))
		if again := w.client(); again != client {
			t.Fatalf("greeted from %s and %s", client, again)
		}
	}
	if d := time.Since(began); d < 2*helloEvery {
		t.Errorf("greeted twice more in %v", d)
	}
	if _, err := net.DialUnix("unixgram", nil, at(client)); !errors.Is(err, unix.EPERM) {
		t.Errorf("a stranger: %v", err)
	}
}

// The emulator exits or is killed, and starts again; no file or descriptor is left behind. Close ends
// a blocked ReadEvent. What a dead process has left at the address is replaced, but not a folder.
func TestRestart(t *testing.T) {
	w := newWindow(t)
	w.conn.Close()
	check := w.descriptors()
	own := filepath.Join(filepath.Dir(w.opts.Joystick), fmt.Sprintf("rpi-sense-emu-client-%d", os.Getpid()))
	for _, killed := range []bool{true, false} {
		_, err := OpenJoystick(w.opts)
		w.fails(err, hat.ErrNotFound, "the Sense HAT emulator is not running: start sense_emu_gui")
		if !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		w.start()
		must(t, os.WriteFile(own, nil, 0o600))
		s := w.joystick()
		if client := w.client(); client != own {
			t.Errorf("greeted from %s, want %s", client, own)
		}
		w.send(own, key(24, 105, 1))
		if e, err := s.ReadEvent(); e != (hat.Event{Key: hat.Left, Action: hat.Press}) || err != nil {
			t.Fatal(e, err)
		}
		w.conn.Close()
		if !killed {
			must(t, os.Remove(w.opts.Joystick))
		}
		_, err = s.ReadEvent()
		w.fails(err, hat.ErrGone, "joystick "+w.opts.Joystick, "was disconnected")
		must(t, s.Close())
		if _, err := os.Lstat(own); err == nil {
			t.Errorf("%s is left", own)
		}
	}
	w.start()
	s := w.joystick()
	time.AfterFunc(20*time.Millisecond, func() { s.Close() })
	if _, err := s.ReadEvent(); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	must(t, os.MkdirAll(filepath.Join(own, "full"), 0o700))
	_, err := OpenJoystick(w.opts)
	w.fails(err, hat.ErrPermission, "belongs to another user")
	must(t, os.RemoveAll(own))
	w.conn.Close()
	check()
}
