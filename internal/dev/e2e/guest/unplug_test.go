//go:build guest

package guest

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"github.com/c4hat/c4hat/internal/dev/e2e/uinput"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
)

// plugMatrix plugs the matrix back in.
func plugMatrix(t *testing.T) {
	t.Helper()
	if err := standin.Plug(); err != nil {
		t.Fatal(err)
	}
	for range 50 { // the kernel may take a moment to bind the console
		freeMatrix(t)
		time.Sleep(10 * time.Millisecond)
	}
}

// The joystick is unplugged during a turn and plugged back in.
func TestStickReplugInMatch(t *testing.T) {
	stick := plug(t, uinput.RaspberryPi)
	p, g := play(t)
	tap(t, stick, uinput.Left)
	g.Press(game.Left)
	showing(t, g.Frame(), 0)
	for _, keymap := range []uinput.Keymap{uinput.Mainline, uinput.RaspberryPi} {
		if err := stick.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		stick = plug(t, keymap)
		p.hears(t)
		tap(t, stick, uinput.Left)
		g.Press(game.Left)
		showing(t, g.Frame(), 0)
	}
	p.stop(t)
}

// The matrix is unplugged during a turn, and shows the current picture once it is
// plugged back in.
func TestMatrixReplugInMatch(t *testing.T) {
	stick := plug(t, uinput.RaspberryPi)
	p, g := play(t)
	if err := standin.Unplug(); err != nil {
		t.Fatal(err)
	}
	tap(t, stick, uinput.Right)
	tap(t, stick, uinput.Right)
	g.Press(game.Right, game.Right)
	plugMatrix(t)
	tap(t, stick, uinput.Up) // the console may first have drawn on the matrix
	g.Press(game.Up)
	showing(t, g.Frame(), 0)
	tap(t, stick, uinput.Up)
	tap(t, stick, uinput.Up) // resumes
	g.Press(game.Up, game.Up)
	showing(t, g.Frame(), 0)
	// Unplug the matrix again, now with a picture that does not change and without a press.
	if err := standin.Unplug(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	// The program is stopped until the console is unbound: what the console draws after
	// our frame would stay, as no key is pressed.
	_ = p.Process.Signal(syscall.SIGSTOP)
	plugMatrix(t)
	_ = p.Process.Signal(syscall.SIGCONT)
	showing(t, g.Frame(), 0)
	p.stop(t)
}

// The matrix is deleted while open, and the thread that closes it dies in the kernel:
// c4hat uses the next matrix and ends normally.
func TestMatrixDeletedUnderTheOpenFile(t *testing.T) {
	const oops = "/proc/sys/kernel/panic_on_oops" // by default this kernel would panic
	if err := errors.Join(os.WriteFile(oops, []byte("0"), 0), standin.SetFatalClose(true)); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = os.WriteFile(oops, []byte("1"), 0)
		_ = standin.SetFatalClose(false)
	}()
	stick := plug(t, uinput.RaspberryPi)
	p, g := play(t)
	for range 2 {
		if err := standin.Unplug(); err != nil {
			t.Fatal(err)
		}
		tap(t, stick, uinput.Right)
		g.Press(game.Right)
		plugMatrix(t)
		began := time.Now()
		tap(t, stick, uinput.Up) // the console may first have drawn on the matrix
		g.Press(game.Up)
		showing(t, g.Frame(), 0)
		t.Logf("back after %v", time.Since(began))
		tap(t, stick, uinput.Up)
		tap(t, stick, uinput.Up) // resumes
		g.Press(game.Up, game.Up)
		showing(t, g.Frame(), 0)
	}
	p.stop(t)
}

// Another program sets a gamma table of zeros, before the start and during a match: c4hat
// restores the picture.
func TestGammaRestored(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) == 4 {
		t.Skip("the driver has no gamma ioctls for 32-bit programs")
	}
	dark := func() {
		t.Helper()
		if err := standin.SetGamma([32]byte{}); err != nil {
			t.Fatal(err)
		}
	}
	dark()
	examine(t, 1, "BAD  gamma: ")
	stick := plug(t, uinput.RaspberryPi)
	p, g := play(t)
	showing(t, g.Frame(), 0)
	dark()
	showing(t, light.Frame{}, 0)
	examine(t, 1, "BAD  gamma: ")
	if err := stick.Press(uinput.Middle); err != nil {
		t.Fatal(err)
	}
	g.Press(game.Middle)
	g.Until(game.Aim)
	if err := stick.Release(uinput.Middle); err != nil {
		t.Fatal(err)
	}
	showing(t, g.Frame(), 0)
	examine(t, 1, "BAD  use: ", "good gamma: ") // BAD because the HAT is in use
	p.stop(t)
}

// A HAT with a loose contact shows the picture again after the next press.
func TestReseated(t *testing.T) {
	stick := plug(t, uinput.RaspberryPi)
	p, g := play(t)
	if err := standin.SetDead(true); err != nil {
		t.Fatal(err)
	}
	if err := stick.Press(uinput.Middle); err != nil {
		t.Fatal(err)
	}
	g.Press(game.Middle)
	g.Until(game.Aim)
	time.Sleep(time.Second)
	if err := standin.SetDead(false); err != nil {
		t.Fatal(err)
	}
	// A release does not change the game, but the picture is written again.
	if err := stick.Release(uinput.Middle); err != nil {
		t.Fatal(err)
	}
	showing(t, g.Frame(), 0)
	p.stop(t)
}
