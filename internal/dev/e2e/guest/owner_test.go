//go:build guest

package guest

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/c4hat/c4hat/internal/dev/e2e/uinput"
	"github.com/c4hat/c4hat/internal/game"
)

// A second program is refused, and told which process uses the HAT.
func TestSecondOwner(t *testing.T) {
	plug(t, uinput.RaspberryPi)
	first, g := play(t)
	second := run(t, "play", "--display", "hat")
	_ = second.Wait()
	if got := second.ProcessState.ExitCode(); got != 1 {
		t.Errorf("exit status %d, want 1", got)
	}
	want := fmt.Sprintf("in use by process %d (c4hat)", first.Process.Pid)
	if got := second.errs.String(); !strings.Contains(got, want) || strings.Count(got, "\n") != 1 {
		t.Errorf("said %q, want %q", got, want)
	}
	showing(t, g.Frame(), 0)
	first.stop(t)
}

// While c4hat is running, no console and no other program receives the presses.
func TestGrab(t *testing.T) {
	stick := plug(t, uinput.RaspberryPi)
	other, err := unix.Open(stick.Node(), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(other)
	hears := func() bool {
		var buf [1024]byte
		n, err := unix.Read(other, buf[:])
		if err != nil && err != unix.EAGAIN {
			t.Fatal(err)
		}
		return n > 0
	}
	tap(t, stick, uinput.Left)
	if !hears() {
		t.Fatal("no press arrives even before the grab: the test would prove nothing")
	}
	p, g := play(t)
	tap(t, stick, uinput.Left)
	g.Press(game.Left)
	showing(t, g.Frame(), 0)
	if hears() {
		t.Error("another program receives the presses")
	}
	p.stop(t)
	tap(t, stick, uinput.Left)
	if !hears() {
		t.Error("the joystick is still grabbed")
	}
}
