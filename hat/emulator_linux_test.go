package hat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/color"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/socketdir"
	"golang.org/x/sys/unix"
)

// window is an emulator as its clients see it: a screen file, and a socket while it is running.
type window struct {
	t      *testing.T
	opts   *Opts
	socket int // -1 while the emulator is not running
}

// emulatedGamma is the gamma table that follows the pixels.
var emulatedGamma = []byte("0123456789abcdefghijklmnopqrstuv")

func newWindow(t *testing.T) *window {
	t.Helper()
	dir := socketdir.New(t)
	w := &window{t, &Opts{Framebuffer: filepath.Join(dir, "screen"), Joystick: filepath.Join(dir, "stick")}, -1}
	w.start()
	return w
}

// start does the same as screen.py's init_screen and stick.py's StickServer.
func (w *window) start() {
	w.t.Helper()
	if _, err := os.Stat(w.opts.Framebuffer); err != nil {
		f, err := os.Create(w.opts.Framebuffer)
		must(w.t, err)
		for _, part := range [][]byte{make([]byte, 128), emulatedGamma} {
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

func (w *window) screen() []byte {
	w.t.Helper()
	b, err := os.ReadFile(w.opts.Framebuffer)
	must(w.t, err)
	return b
}

// Every frame has the same bytes as on a framebuffer, at every rotation, and the bytes after the
// frame stay unchanged.
func TestEmulatorMatchesFramebuffer(t *testing.T) {
	for _, rotate := range []int{0, 90, 180, 270} {
		w := newWindow(t)
		w.opts.Rotate = rotate
		m, err := Emulator{}.OpenMatrix(w.opts)
		must(t, err)
		fb := filepath.Join(t.TempDir(), "fb")
		must(t, os.WriteFile(fb, nil, 0o600))
		real, err := OpenMatrix(&Opts{Framebuffer: fb, Rotate: rotate})
		must(t, err)
		var frame [64]color.RGBA
		same := func() {
			t.Helper()
			want, err := os.ReadFile(fb)
			must(t, err)
			if got := w.screen(); !bytes.Equal(got, append(want, emulatedGamma...)) {
				t.Fatalf("%v: the emulator has\n%x, the framebuffer\n%x", frame, got, want)
			}
		}
		same()
		for range 200 {
			for range rand.N(64) {
				frame[rand.N(64)] = color.RGBA{uint8(rand.N(256)), uint8(rand.N(256)), uint8(rand.N(256)), 255}
			}
			must(t, m.WriteFrame(&frame))
			must(t, real.WriteFrame(&frame))
			same()
		}
		must(t, m.Close())
		must(t, real.Close())
		if !bytes.Equal(w.screen()[:128], make([]byte, 128)) {
			t.Error("not dark after Close")
		}
	}
}

// A file that is not the emulator's screen is an error, and stays unchanged.
func TestEmulatorScreenWrongFile(t *testing.T) {
	whole := append(make([]byte, 128), emulatedGamma...)
	for name, test := range map[string]struct {
		make func(t *testing.T, path string) error
		kind error
		says string
	}{
		"missing": {func(*testing.T, string) error { return nil }, ErrNotFound, "is missing: start sense_emu_gui"},
		"empty":   {func(_ *testing.T, path string) error { return os.WriteFile(path, nil, 0o600) }, ErrNotFound, "remove it"},
		"short":   {func(_ *testing.T, path string) error { return os.WriteFile(path, whole[:159], 0o600) }, ErrNotFound, "remove it"},
		"long":    {func(_ *testing.T, path string) error { return os.WriteFile(path, append(whole, 0), 0o600) }, ErrNotFound, "remove it"},
		"folder":  {func(_ *testing.T, path string) error { return os.Mkdir(path, 0o700) }, ErrNotFound, "remove it"},
		"pipe":    {func(_ *testing.T, path string) error { return unix.Mkfifo(path, 0o600) }, ErrNotFound, "remove it"},
		"link":    {func(_ *testing.T, path string) error { return os.Symlink(path+".real", path) }, ErrNotFound, "remove it"},
		"foreign": {func(t *testing.T, path string) error { return foreign(t, path, whole) }, ErrPermission, "belongs to user ID 1"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "screen")
			full := bytes.Repeat([]byte{0xFF}, 160)
			must(t, os.WriteFile(path+".real", full, 0o600))
			must(t, test.make(t, path))
			before, _ := os.Lstat(path)
			_, err := Emulator{}.OpenMatrix(&Opts{Framebuffer: path})
			line(t, err, path, test.says)
			if !errors.Is(err, test.kind) || curable(err) == nil {
				t.Errorf("%v", err)
			}
			after, _ := os.Lstat(path)
			if (before == nil) != (after == nil) || before != nil && (before.Size() != after.Size() || before.Mode() != after.Mode()) {
				t.Errorf("%v became %v", before, after)
			}
			if real, err := os.ReadFile(path + ".real"); err != nil || !bytes.Equal(real, full) {
				t.Error("the link's target changed")
			}
		})
	}
}

// foreign makes a file that belongs to another user, which only root can do.
func foreign(t *testing.T, path string, contents []byte) error {
	t.Helper()
	if err := os.WriteFile(path, contents, 0o666); err != nil {
		return err
	}
	if err := os.Chown(path, 1, 1); err != nil {
		t.Skip("only root can give files away:", err)
	}
	return nil
}

// AwaitMatrix waits until the emulator has written its whole screen file, and while another process
// has the file open. AwaitGone returns when the file is replaced.
func TestEmulatorScreenRemoved(t *testing.T) {
	w := newWindow(t)
	await := func() *awaited[*Matrix] {
		return start(t, func(ctx context.Context, report func(error)) (*Matrix, error) {
			return Emulator{}.AwaitMatrix(ctx, w.opts, report)
		})
	}
	must(t, os.Remove(w.opts.Framebuffer))
	before := descriptors(t)
	a := await()
	a.waits(t, ErrNotFound)
	w.end()
	w.start()
	m := a.opens(t)
	if got := w.screen(); !bytes.Equal(got, append(make([]byte, 128), emulatedGamma...)) {
		t.Errorf("the screen has\n%x", got)
	}

	_, err := Emulator{}.OpenMatrix(w.opts)
	kinds(t, err, ErrBusy)
	line(t, err, w.opts.Framebuffer, "in use by", fmt.Sprint(os.Getpid()))
	b := await()
	b.waits(t, ErrBusy)
	must(t, m.Close())
	m = b.opens(t)

	gone := make(chan error, 1)
	go func() { gone <- m.AwaitGone(t.Context()) }()
	now := time.Now()
	must(t, os.Chtimes(w.opts.Framebuffer, now, now)) // as the emulator does each second
	select {
	case err := <-gone:
		t.Fatalf("gone too early: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	must(t, os.Remove(w.opts.Framebuffer))
	w.end()
	w.start()
	select {
	case err := <-gone:
		must(t, err)
	case <-time.After(soon):
		t.Fatal("not noticed")
	}
	must(t, m.Close())
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors, then %d", before, after)
	}
}
