//go:build guest

package guest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"github.com/c4hat/c4hat/internal/dev/e2e/uinput"
)

var version = flag.String("version", "c4hat ", "prefix of the output of c4hat version")

// The guest runs the program that the host wanted to test.
func TestVersion(t *testing.T) {
	p := run(t, "version")
	_ = p.Wait()
	if got := p.out.String(); !strings.HasPrefix(got, *version) || p.ProcessState.ExitCode() != 0 {
		t.Errorf("%q, want %q", got, *version)
	}
}

// The doctor finds the HAT, and reports a disconnected one.
func TestDoctor(t *testing.T) {
	stick := plug(t, uinput.RaspberryPi)
	want := []string{"good matrix: " + screen(t), "good joystick: " + stick.Node(), "good access: "}
	if becomePi(t) {
		want = append(want, "good board: Raspberry Pi Zero 2 W Rev 1.0", "good EEPROM: Sense HAT")
	} else {
		want = append(want, "note board: this is not a Raspberry Pi, but it has a HAT's devices")
	}
	examine(t, 0, want...)
	if err := standin.Unplug(); err != nil {
		t.Fatal(err)
	}
	defer plugMatrix(t)
	examine(t, 1, "BAD  overlay: ")
}

// examine runs the doctor and checks its exit status and some of its lines.
func examine(t *testing.T, status int, want ...string) {
	t.Helper()
	p := run(t, "doctor")
	_ = p.Wait()
	if got := p.ProcessState.ExitCode(); got != status {
		t.Errorf("exit status %d, want %d", got, status)
	}
	for _, line := range want {
		if !strings.Contains("\n"+p.out.String(), "\n"+line) {
			t.Errorf("no line %q", line)
		}
	}
}

// becomePi makes a guest that has a device tree look like a Pi with a HAT. It reports whether the
// guest has one.
func becomePi(t *testing.T) bool {
	t.Helper()
	const tree = "/sys/firmware/devicetree/base"
	if _, err := os.Stat(tree); err != nil {
		return false
	}
	if err := unix.Mount("tmpfs", tree, "tmpfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(tree, 0) })
	for name, text := range map[string]string{"model": "Raspberry Pi Zero 2 W Rev 1.0", "hat/product": "Sense HAT"} {
		file := filepath.Join(tree, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text+"\x00"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return true
}
