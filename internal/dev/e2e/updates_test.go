//go:build machine

package e2e

import (
	"testing"

	"github.com/c4hat/c4hat/internal/dev/e2e/inside"
	"github.com/c4hat/c4hat/internal/dev/e2e/uinput"
)

// A package may be updated during a match, which resumes each time.
func TestUpdates(t *testing.T) {
	t.Parallel()
	m := Booted(t, image(t), Power{})
	sh := func(commands string) inside.Ended { return m.Run("sh", "-c", commands) }
	install := func(deb string) inside.Ended {
		return sh("apt-get install --yes --allow-downgrades " + deb)
	}
	for _, update := range []struct {
		name string
		do   func() inside.Ended
	}{
		{"a newer version", func() inside.Ended { return install("/newer.deb") }},
		{"an older version", func() inside.Ended { return install("/c4hat.deb") }},
		{"the same version", func() inside.Ended { return m.Run("dpkg", "-i", "/c4hat.deb") }},
	} {
		m.drop()
		before, pid := m.saved(), m.property("MainPID")
		if e := update.do(); e.Status != 0 {
			t.Fatalf("%s: %s%s", update.name, e.Out, e.Err)
		}
		after := m.AwaitStatus(func(s Status) bool { return m.property("MainPID") != pid })
		if after.id() != before.id() || after.moves() != before.moves() {
			t.Errorf("%s: the match is %q, was %q", update.name, after.moves(), before.moves())
		}
		m.Mirrors()
	}
	m.drop()

	// If the disk is full, the update fails and the game continues. Later the update succeeds.
	before := m.saved()
	fillDisk(m)
	if e := install("/newer.deb"); e.Status == 0 {
		t.Error("an update succeeds on a full disk")
	}
	if s := m.Mirrors(); s.id() != before.id() || s.moves() != before.moves() {
		t.Errorf("on a full disk the match is %q, was %q", s.moves(), before.moves())
	}
	m.drop()
	emptyDisk(m)
	m.drop()
	before = m.saved()
	if e := sh("dpkg --configure -a && apt-get install --yes /newer.deb"); e.Status != 0 {
		t.Fatal(e.Out, e.Err)
	}
	m.AwaitStatus(func(s Status) bool { return s.id() == before.id() && s.moves() == before.moves() })
	m.drop()

	// A kernel update may bring the mainline driver, which has other key codes.
	m.Unplug()
	m.must("PlugAs", uinput.Mainline, &inside.None{})
	m.AwaitStatus(func(s Status) bool { return s.Machine.Joystick })
	m.drop()
	m.Unplug()
	m.Plug()
	m.AwaitStatus(func(s Status) bool { return s.Machine.Joystick })
}
