//go:build machine

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/e2e/uinput"
)

// playFromLogin plays against the computer from a terminal: the LEDs show the match, the
// joystick works too, and leaving only detaches.
func playFromLogin(t *testing.T, m *Machine) {
	m.login(Player)
	if err := m.Console.Type("c4hat play --vs-cpu --level novice; echo status=$?=\n"); err != nil {
		t.Fatal(err)
	}
	waits := func(discs int) Status {
		return m.AwaitStatus(func(s Status) bool {
			return s.Phase == "aim" && s.Match != nil && s.Turn == "red" && len(s.round()) == discs
		})
	}
	m.AwaitStatus(func(s Status) bool { return s.Match != nil && s.UnderWay })
	waits(0)
	m.Mirrors()
	if err := m.Console.Type("4"); err != nil {
		t.Fatal(err)
	}
	waits(2)
	m.Mirrors()
	time.Sleep(300 * time.Millisecond) // an earlier drop counts as a held key's repeat
	m.Tap(uinput.Middle)
	s := waits(4)
	if got := s.Match.Computer; got == "" {
		t.Error("no player is the computer")
	}
	if err := m.Console.Type("q"); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Console.Expect("status=0="); err != nil {
		t.Fatal(err)
	}
	if s := m.Mirrors(); !s.UnderWay || len(s.round()) != 4 {
		t.Errorf("the match did not continue: %s", s.moves())
	}
	m.logout()
}

// refuseStranger checks that a user who may not play is told why.
func refuseStranger(t *testing.T, m *Machine) {
	m.login(Stranger)
	out, status, err := m.Console.Command("c4hat play --vs-cpu")
	if err != nil {
		t.Fatal(err)
	}
	if status != 1 || strings.Count(out, "\n") != 1 || !strings.Contains(out, "-aG games") {
		t.Errorf("exit status %d, %q; want one line that says how to join the group games", status, out)
	}
	t.Log(strings.TrimSpace(out))
	m.logout()
}

func (m *Machine) login(user string) {
	m.t.Helper()
	if err := m.Console.Login(user); err != nil {
		m.t.Fatal(err)
	}
}

func (m *Machine) logout() {
	m.t.Helper()
	if err := m.Console.Type("exit\n"); err != nil {
		m.t.Fatal(err)
	}
}
