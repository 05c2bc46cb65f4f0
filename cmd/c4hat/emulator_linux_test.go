package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/socketdir"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"golang.org/x/sys/unix"
)

// emulated simulates the Sense HAT emulator: in its screen file a gamma table follows the pixels,
// and its joystick is a socket.
type emulated struct{ *fileHAT }

const gammaTable = "0123456789abcdefghijklmnopqrstuv"

func newEmulated(t *testing.T) emulated {
	t.Helper()
	dir := socketdir.New(t)
	e := emulated{&fileHAT{fb: filepath.Join(dir, "screen"), stick: filepath.Join(dir, "stick")}}
	must(t, os.WriteFile(e.fb, []byte(strings.Repeat("\xff", 128)+gammaTable), 0o600))
	t.Cleanup(func() { e.pipe.Close() })
	e.begin(t)
	return e
}

// begin starts the emulator. It may be called again after end.
func (e emulated) begin(t *testing.T) {
	t.Helper()
	_ = unix.Unlink(e.stick)
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	e.pipe = os.NewFile(uintptr(fd), e.stick)
	most := unix.NsecToTimeval(patience.Nanoseconds())
	must(t, unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &most))
	must(t, unix.Bind(fd, &unix.SockaddrUnix{Name: e.stick}))
}

// end does what killing the emulator does: its socket is closed, but the socket's file stays. The
// lock keeps other tests from starting a process meanwhile, because the child would hold the socket
// open until exec.
func (e emulated) end() {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	e.pipe.Close()
}

// greeted waits for the program's hello, and connects to the address that sent it, so that keys can
// be sent to the program.
func (e emulated) greeted(t *testing.T) {
	t.Helper()
	var hello [64]byte
	n, from, err := unix.Recvfrom(int(e.pipe.Fd()), hello[:], 0)
	for err == unix.EINTR { // a receive with a timeout is not restarted, see signal(7)
		n, from, err = unix.Recvfrom(int(e.pipe.Fd()), hello[:], 0)
	}
	must(t, err)
	if string(hello[:n]) != "hello" {
		t.Fatalf("received %q", hello[:n])
	}
	must(t, unix.Connect(int(e.pipe.Fd()), from))
}

// intact checks that the program wrote only pixels, and left no file behind.
func (e emulated) intact(t *testing.T) {
	t.Helper()
	if b, err := os.ReadFile(e.fb); err != nil || len(b) != 160 || string(b[128:]) != gammaTable {
		t.Errorf("the screen has %d bytes: %q, %v", len(b), b, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(e.fb), "*client*")); left != nil {
		t.Errorf("%v are left", left)
	}
}

// A match on the emulator shows the same frames as on a HAT. It continues when the emulator is
// killed and restarted, with the old screen file or with a new one.
func TestEmulatorMatch(t *testing.T) {
	t.Parallel()
	e := newEmulated(t)
	d := newRunning(t, "--emulator", "--fb", e.fb, "--stick", e.stick)
	d.start(t)
	d.press(t, game.Start{Setup: hatMatch("7x6")})
	e.greeted(t)
	playMatch(t, e.fileHAT, "7x6", func(ply int) {
		if ply != 2 && ply != 4 {
			return
		}
		leds := e.leds(t)
		e.end()
		if ply == 4 {
			must(t, os.Remove(e.fb))
			must(t, os.WriteFile(e.fb, []byte(strings.Repeat("\x00", 128)+gammaTable), 0o600))
		}
		e.begin(t)
		e.greeted(t)
		eventually(t, func() bool { return e.leds(t) == leds }, func() string {
			return "the new screen shows\n" + unpacked(e.leds(t))
		})
	})
	d.stop(t)
	e.intact(t)
}

// The service plays on the emulator instead of the HAT, also after the emulator was started again.
func TestDaemonEmulator(t *testing.T) {
	t.Parallel()
	e := newEmulated(t)
	d := start(t, []string{"XDG_STATE_HOME=" + t.TempDir()}, "c4hat", "daemon", "--emulator", "--fb", e.fb, "--stick", e.stick, "--socket", filepath.Join(socketdir.New(t), "socket"))
	r := gametest.New(t, game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2}, Attract: true, Forever: true})
	for range 2 { // to the menu, and to a match
		e.greeted(t)
		e.tap(t, keyEnter)
		r.Press(game.Middle)
		e.shows(t, r.Frame())
		e.end()
		e.begin(t)
	}
	e.greeted(t)
	must(t, d.Process.Signal(syscall.SIGTERM))
	if err := d.Wait(); err != nil {
		t.Errorf("%v\n%s", err, d.errs.String())
	}
	if e.leds(t) != dark {
		t.Errorf("left\n%s", unpacked(e.leds(t)))
	}
	e.intact(t)
}
