//go:build machine

package e2e

import (
	"testing"

	"github.com/c4hat/c4hat/internal/game"
)

// TestUpgrade purges the package and installs the last release. During a match it updates to this version. The
// match is the same.
func TestUpgrade(t *testing.T) {
	if *previous == "" {
		t.Skip("needs -previous; make release-test has it")
	}
	t.Parallel()
	m := New(t, image(t))
	m.On(Power{})
	m.starts(t)
	m.drop()
	m.purge()

	m.apt("install", "/previous.deb")
	m.AwaitStatus(func(s Status) bool { return s.Machine.Joystick })
	m.sh("echo '# edited' >>/etc/c4hat/config.toml")
	old := m.AwaitStatus(anyStatus).Machine.Version

	for range 3 {
		m.drop()
	}
	before := m.saved()
	// The configuration is edited, and nobody is there to answer a question about it.
	m.apt("install", "/c4hat.deb")
	m.resumed(before, "with this version")
	if version := m.Mirrors().Machine.Version; version == old {
		t.Errorf("the version is still %s", version)
	}
	m.drop()

	m.apt("remove", "c4hat")
	m.Shows(game.View{})
	if e := m.Run("ls", "/var/lib/c4hat/match.jsonl", "/etc/c4hat/config.toml"); e.Status != 0 {
		t.Error("remove deletes more than the program: ", e.Err)
	}
	m.apt("install", "/c4hat.deb")
	m.AwaitStatus(anyStatus) // the service has started
	m.purge()
}

// resumed waits until the service is running with the match as it was.
func (m *Machine) resumed(was Status, when string) {
	m.t.Helper()
	s := m.AwaitStatus(anyStatus)
	if s.id() != was.id() || s.moves() != was.moves() || !s.UnderWay {
		m.t.Errorf("%s the match is %s %q, was %s %q", when, s.id(), s.moves(), was.id(), was.moves())
	}
	m.AwaitStatus(func(s Status) bool { return s.Machine.Joystick })
	m.t.Logf("%s (%s): %s %s", when, s.Machine.Version, s.id(), s.moves())
}

// purge purges the package: nothing is left but the user, and the LEDs are dark.
func (m *Machine) purge() {
	m.t.Helper()
	m.apt("purge", "c4hat")
	m.Shows(game.View{})
	// systemd forgets a unit some time after it has ended.
	e := m.Run("sh", "-c", `systemctl daemon-reload
		find / /run -xdev \( -name '*c4hat*' -o -user c4hat \) ! -path /c4hat.deb ! -path '/run/systemd/units/*' ! -path '/run/udev/links/virtio-ports*'
		grep -l c4hat /proc/[0-9]*/comm`)
	if e.Out != "" {
		m.t.Errorf("purge leaves\n%s", e.Out)
	}
}

func (m *Machine) apt(args ...string) {
	m.t.Helper()
	if e := m.Run(append([]string{"apt-get", "--yes"}, args...)...); e.Status != 0 {
		m.t.Fatalf("apt-get %s: %s%s", args, e.Out, e.Err)
	}
}

func (m *Machine) sh(commands string) {
	m.t.Helper()
	if e := m.Run("sh", "-c", "set -e; "+commands); e.Status != 0 {
		m.t.Fatal(e.Out, e.Err)
	}
}
