//go:build machine

package machine

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/c4hat/c4hat/internal/e2e/uinput"
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
		{"rm -f", "espeak-ng: it is not installed"},
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
	out := m.Run("systemd-analyze", "security", "--no-pager", "c4hat-speech").Out
	found := append(regexp.MustCompile(`exposure level for c4hat-speech.service: ([0-9.]+)`).FindStringSubmatch(out), "", "")
	if e, err := strconv.ParseFloat(found[1], 64); err != nil || e > 1.5 {
		t.Errorf("exposure %q: %v", found[1], err)
	}
}
