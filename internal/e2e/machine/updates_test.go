//go:build machine

package machine

import (
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/e2e/machine/inside"
	"github.com/c4hat/c4hat/internal/e2e/uinput"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/socket"
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
		after := m.AwaitStatus(func(s socket.Status) bool { return m.property("MainPID") != pid })
		if id(after) != id(before) || moves(after) != moves(before) {
			t.Errorf("%s: the match is %q, was %q", update.name, moves(after), moves(before))
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
	if s := m.Mirrors(); id(s) != id(before) || moves(s) != moves(before) {
		t.Errorf("on a full disk the match is %q, was %q", moves(s), moves(before))
	}
	m.drop()
	emptyDisk(m)
	m.drop()
	before = m.saved()
	if e := sh("dpkg --configure -a && apt-get install --yes /newer.deb"); e.Status != 0 {
		t.Fatal(e.Out, e.Err)
	}
	m.AwaitStatus(func(s socket.Status) bool { return id(s) == id(before) && moves(s) == moves(before) })
	m.drop()

	// A kernel update may bring the mainline driver, which has other key codes.
	m.Unplug()
	m.must("PlugAs", uinput.Mainline, &inside.None{})
	m.AwaitStatus(func(s socket.Status) bool { return s.Machine.Joystick })
	m.drop()
	m.Unplug()
	m.Plug()
	m.AwaitStatus(func(s socket.Status) bool { return s.Machine.Joystick })
	firstVersion(t, m)
}

// These are the files that c4hat 0.1.0 left: a match under way, two finished ones and a
// configuration.
const (
	oldMatch   = `{"version":1,"id":"3t9mbiu329lcw-1","board":"7x6","connect":4,"points":2,"first":"red","computer":"yellow","level":4,"rounds":["444335"]}`
	oldHistory = `{"version":1,"id":"1dnvu8mcqzm6-1","board":"7x6","connect":4,"points":1,"first":"red","rounds":["1212121"],"result":"red","score":{"red":1,"yellow":0},"ended":"2026-11-22T12:27:24Z"}
{"version":1,"id":"2itndkr0vj1qu-1","board":"7x6","connect":4,"points":1,"first":"red","computer":"yellow","level":2,"rounds":["4432"],"result":"abandoned","score":{"red":0,"yellow":0},"ended":"2026-11-22T12:27:24Z"}`
	oldConfig = `[game]
board = "7x6"
first = "red"
idle = "5m"

[screen]
brightness = 80`
)

// firstVersion reads the files of c4hat 0.1.0.
func firstVersion(t *testing.T, m *Machine) {
	m.Run("systemctl", "stop", "c4hat")
	if e := m.Run("sh", "-c", `set -e; cd /var/lib/c4hat; rm -f ./*
		printf '%s\n' "$1" >match.json; printf '%s\n' "$2" >matches.jsonl; printf '%s\n' "$3" >/etc/c4hat/config.toml
		chown c4hat:games ./*; chmod 600 ./*; c4hat daemon --check; systemctl reset-failed c4hat; systemctl start c4hat`, "sh", oldMatch, oldHistory, oldConfig); e.Status != 0 {
		t.Fatal(e.Out, e.Err)
	}
	s := m.AwaitStatus(func(s socket.Status) bool { return s.UnderWay })
	if id(s) != "3t9mbiu329lcw-1" || moves(s) != "444335" || s.Match.Level != levels.Hard {
		t.Errorf("the match of 0.1.0 is %s, %s against level %v", id(s), moves(s), s.Match.Level)
	}
	if e := m.Run("c4hat", "stats"); !strings.Contains(e.Out, "2 matches") || !strings.Contains(e.Out, "easy") {
		t.Errorf("the results of 0.1.0 are\n%s%s", e.Out, e.Err)
	}
	m.Run("sh", "-c", ": >/etc/c4hat/config.toml; systemctl reload c4hat")
}
