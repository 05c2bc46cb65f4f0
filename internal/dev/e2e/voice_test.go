//go:build machine

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/e2e/uinput"
)

// The voice is enabled by one command, and goes on when the service is restarted or dies. It says what the keys do, soon. Without an engine its lines are in the journal.
func TestVoice(t *testing.T) {
	t.Parallel()
	m := Booted(t, image(t), Power{})
	if e := m.Run("systemctl", "enable", "--now", "c4hat-speech"); e.Status != 0 {
		t.Fatal(e.Err)
	}
	m.says("nobody plays: a demo runs", 1)
	if e := m.Run("systemctl", "show", "--value", "--property=DynamicUser", "c4hat-speech"); e.Out != "yes\n" {
		t.Errorf("DynamicUser is %q", e.Out)
	}
	m.Tap(uinput.Left)
	m.says("menu: two players", 1)
	m.Run("systemctl", "restart", "c4hat")
	m.says("nobody plays: a demo runs", 2)
	m.Run("systemctl", "kill", "--kill-whom=main", "--signal=SIGKILL", "c4hat")
	m.says("nobody plays: a demo runs|The service is back", 3) // on a busy host the voice gives up first, and systemd restarts it
	if e := m.Run("systemctl", "is-active", "c4hat-speech"); e.Out != "active\n" {
		t.Errorf("the voice is %s", e.Out)
	}

	m.AwaitStatus(func(s Status) bool { return s.Machine.Joystick })
	m.Tap(uinput.Left)
	m.says("menu: two players", 2)
	m.Tap(uinput.Middle)
	m.says("red starts", 1)
	var took []time.Duration
	if err := m.call("Heard", *presses, &took); err != nil {
		t.Fatal(err)
	}
	slices.Sort(took)
	t.Logf("press to the first word, of %d: median %v, 90 %% %v, 99 %% %v, max %v", *presses,
		took[*presses/2], took[*presses*9/10], took[*presses*99/100], took[*presses-1])
}

// says waits until the voice has said what matches a pattern a number of times since the boot.
func (m *Machine) says(pattern string, times int) {
	m.t.Helper()
	const log = "journalctl --boot --no-pager --output=cat --unit=c4hat-speech"
	e := m.Run("timeout", "500", "bash", "-c", `until [ "$(`+log+` | grep -cE "$1")" -ge "$2" ]; do sleep 0.2; done`, "bash", pattern, fmt.Sprint(times))
	if e.Status != 0 {
		said := strings.TrimSpace(m.Run("sh", "-c", log).Out)
		m.t.Fatalf("the voice did not say %q %d times:\n%s", pattern, times, said)
	}
}
