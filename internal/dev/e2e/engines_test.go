//go:build machine

package e2e

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/dev/e2e/uinput"
)

// The voice speaks through the real espeak-ng. An engine that is missing, hangs or dies is told of
// once; the voice comes back by itself, and the game goes on.
func TestEngines(t *testing.T) {
	t.Parallel()
	needFull(t)
	m := New(t, image(t))
	m.On(Power{})
	m.starts(t)
	m.sh("echo snd-dummy >/etc/modules-load.d/sound.conf; systemctl restart systemd-modules-load; udevadm settle; cat /proc/asound/cards")
	m.sh("systemctl enable --now c4hat-speech")
	m.says("speaking through espeak-ng", 1)
	next := 0
	press := func() {
		m.Tap([...]uinput.Key{uinput.Left, uinput.Right}[next%2])
		next++
	}
	for n, engine := range []struct{ how, gone string }{
		{"rm -f", "espeak-ng: espeak-ng is not installed"},
		{`printf '#!/bin/sh\nexec sleep 1000\n' >/usr/bin/espeak-ng; chmod +x`, "espeak-ng: it hangs"},
		{`printf '#!/bin/sh\nkill -9 $$\n' >/usr/bin/espeak-ng; chmod +x`, "espeak-ng: signal: killed"},
	} {
		m.sh("cp /usr/bin/espeak-ng /root/espeak-ng; rm /usr/bin/espeak-ng; " + engine.how + " /usr/bin/espeak-ng")
		press()
		m.says("cannot speak through "+engine.gone, 1)
		press()
		m.Mirrors()
		m.says("speaking through lines", n+1)
		m.sh("mv /root/espeak-ng /usr/bin/espeak-ng; sleep 3")
		press()
		m.says("speaking through espeak-ng", n+2)
		m.says("cannot speak through "+engine.gone, 1)
	}
	m.confined(m.Run("systemd-analyze", "security", "--no-pager", "c4hat-speech").Out)
}

// A user's voice, started by one command in the session of somebody in the group games, speaks through
// the user's speech-dispatcher, which starts when it is needed. It survives the death of
// speech-dispatcher and of the service, and starts with the next session.
func TestUserVoice(t *testing.T) {
	t.Parallel()
	needFull(t)
	m := New(t, image(t))
	m.On(Power{})
	m.starts(t)
	m.sh("echo snd-dummy >/etc/modules-load.d/sound.conf; systemctl restart systemd-modules-load; udevadm settle; loginctl enable-linger " + Player)
	m.sh("usermod -aG audio " + Player + `; echo 'AudioOutputMethod "alsa"' >>/etc/speech-dispatcher/speechd.conf`) // here is no PipeWire
	user := func(command string) string {
		t.Helper()
		e := m.Run("runuser", "-u", Player, "--", "sh", "-ec", "export XDG_RUNTIME_DIR=/run/user/$(id -u); "+command)
		if e.Status != 0 {
			t.Fatal(command, e.Out, e.Err, m.Run("journalctl", "--boot", "--no-pager", "_UID=1000").Out)
		}
		return e.Out
	}
	said := func(text string) int {
		n, _ := strconv.Atoi(strings.TrimSpace(m.Run("sh", "-c", "journalctl --boot --no-pager --output=cat _SYSTEMD_USER_UNIT=c4hat-speech.service | grep -c '"+text+"'").Out))
		return n
	}
	// Each press is a text.
	press := func(what string, done func() bool) {
		t.Helper()
		for range 100 {
			m.Tap(uinput.Left)
			m.sh("sleep 2")
			if done() {
				return
			}
		}
		t.Fatalf("not %s:\n%s", what, m.Run("journalctl", "--boot", "--no-pager", "_UID=1000").Out)
	}
	m.sh("systemctl start user@$(id -u " + Player + ")")
	user("systemctl --user enable --now c4hat-speech")
	press("speaking", func() bool { return said("speaking through speech-dispatcher") > 0 })
	m.confined(user("systemd-analyze security --user --no-pager c4hat-speech"))
	m.sh("kill -9 $(pidof speech-dispatcher)")
	press("started again", func() bool { return m.Run("pidof", "speech-dispatcher").Status == 0 })
	m.sh("systemctl restart c4hat")
	m.AwaitStatus(func(s Status) bool { return s.Machine.Joystick })
	user("until systemctl --user --quiet is-active c4hat-speech; do sleep 0.2; done")
	before := said("speaking through speech-dispatcher")
	m.sh("systemctl restart user@$(id -u " + Player + ")")
	press("speaking in the next session", func() bool { return said("speaking through speech-dispatcher") > before })
}

// confined fails the test if a unit is not shut in well: systemd-analyze rates it from 0 to 10.
func (m *Machine) confined(rated string) {
	m.t.Helper()
	found := append(regexp.MustCompile(`exposure level for c4hat-speech.service: ([0-9.]+)`).FindStringSubmatch(rated), "", "")
	if e, err := strconv.ParseFloat(found[1], 64); err != nil || e > 1.5 {
		m.t.Errorf("exposure %q: %v", found[1], err)
	}
	m.t.Logf("exposure %s", found[1])
}
