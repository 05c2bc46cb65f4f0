//go:build machine

package machine

import (
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/e2e/uinput"
	"github.com/c4hat/c4hat/internal/light"
	"github.com/c4hat/c4hat/internal/socket"
)

// TestUpgrade purges the package and installs the last release. During a match it updates to this
// version, goes back, and updates again. The match is the same each time.
func TestUpgrade(t *testing.T) {
	if *previous == "" {
		t.Skip("needs -previous; make e2e-long has it")
	}
	t.Parallel()
	m := New(t, image(t))
	m.On(Power{})
	m.starts(t)
	m.drop()
	m.purge()

	m.apt("install", "/previous.deb")
	m.AwaitStatus(func(s socket.Status) bool { return s.Machine.Joystick })
	m.sh("echo '# edited' >>/etc/c4hat/config.toml")
	old := m.AwaitStatus(anyStatus).Machine.Version

	for range 3 {
		m.drop()
	}
	before := m.saved()
	// The configuration is edited, and nobody is there to answer a question about it.
	update := func(deb string) { m.apt("install", "--allow-downgrades", deb) }
	update("/c4hat.deb")
	m.resumed(before, "with this version")
	if version := m.Mirrors().Machine.Version; version == old {
		t.Errorf("the version is still %s", version)
	}
	m.drop()

	// Go back to the old version, and from there to this one again.
	before = m.saved()
	update("/previous.deb")
	m.resumed(before, "back with the old version")
	m.drop()
	before = m.saved()
	update("/c4hat.deb")
	m.resumed(before, "with this version again")
	m.Mirrors()

	m.againstComputer()
	m.drop()
	before = m.saved()
	update("/previous.deb")
	if !strings.HasPrefix(old, "0.1.") {
		m.resumed(before, "against the computer with the old version")
	} else { // which does not know the names of levels, and sets the match aside
		if s := m.AwaitStatus(anyStatus); s.Machine.Version != old || s.UnderWay {
			t.Errorf("version %s, match %q", s.Machine.Version, moves(s))
		}
		if e := m.Run("sh", "-c", "journalctl --boot --no-pager --unit=c4hat --priority=err | tail -n1"); !strings.Contains(e.Out, "set aside") {
			t.Errorf("the old version does not say that it set the match aside: %s", e.Out)
		}
	}
	update("/c4hat.deb")
	m.resumed(before, "against the computer with this version again")
	m.Mirrors()
	m.drop()

	m.apt("remove", "c4hat")
	m.Shows(light.Frame{})
	if e := m.Run("ls", "/var/lib/c4hat/match.json", "/etc/c4hat/config.toml"); e.Status != 0 {
		t.Error("remove deletes more than the program: ", e.Err)
	}
	m.apt("install", "/c4hat.deb")
	m.AwaitStatus(anyStatus) // the service has started
	m.purge()
}

// resumed waits until the service is running with the match as it was.
func (m *Machine) resumed(was socket.Status, when string) {
	m.t.Helper()
	s := m.AwaitStatus(anyStatus)
	if id(s) != id(was) || moves(s) != moves(was) || !s.UnderWay {
		m.t.Errorf("%s the match is %s %q, was %s %q", when, id(s), moves(s), id(was), moves(was))
	}
	m.AwaitStatus(func(s socket.Status) bool { return s.Machine.Joystick })
	m.t.Logf("%s (%s): %s %s", when, s.Machine.Version, id(s), moves(s))
}

// againstComputer abandons the match and starts one against the computer.
func (m *Machine) againstComputer() {
	m.t.Helper()
	m.sh("c4hat play --vs-cpu --level novice --first red --force --display plain </dev/null || true") // it exits at the end of its input
	m.AwaitStatus(func(s socket.Status) bool { return s.Match != nil && s.Match.Level != 0 })
	m.Tap(uinput.Left)
}

// purge purges the package: nothing is left but the user, and the LEDs are dark.
func (m *Machine) purge() {
	m.t.Helper()
	m.apt("purge", "c4hat")
	m.Shows(light.Frame{})
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
