//go:build machine

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
)

// comesAsBoard removes the kernel's drivers for the HAT, and enables the HAT's bus while the service is
// running, as raspi-config does. The service then drives the board without a restart.
func comesAsBoard(t *testing.T, m *Machine) {
	m.Unplug()
	m.sh("echo " + standin.Module + " >/sys/bus/platform/drivers/" + standin.Module + `/unbind
		printf '[machine]\ni2c = "/dev/i2c-1"\n' >/etc/c4hat/config.toml
		systemctl restart c4hat`)
	m.AwaitStatus(func(s Status) bool { return !s.Machine.Matrix })
	m.sh(`printf 'i2c-dev\n` + standin.Board + `\n' >/run/bus.conf
		/lib/systemd/systemd-modules-load /run/bus.conf
		chgrp i2c /dev/i2c-1; chmod g+rw /dev/i2c-1 # udev's rule for it is Raspberry Pi OS's`)
	s := m.AwaitStatus(func(s Status) bool { return s.Machine.Matrix && s.Machine.Joystick })
	if s.Machine.I2C != "/dev/i2c-1" {
		t.Errorf("the board is driven over %q", s.Machine.I2C)
	}
	if e := m.Run("cat", "/sys/kernel/debug/"+standin.Board+"/leds"); strings.Trim(e.Out, "\x00") == "" {
		t.Error("the board's LEDs are dark")
	}
	keys := func(down int) { m.sh(fmt.Sprintf("echo %d >/sys/kernel/debug/%s/keys", down, standin.Board)) }
	press := func(bit int) { // as in the board's register: down, right, up, middle, left
		keys(1 << bit)
		m.Run("sleep", "0.5")
		keys(0)
		m.Run("sleep", "0.5")
	}
	for s.Phase != "aim" {
		press(3)
		s = m.AwaitStatus(anyStatus)
	}
	press(0)
	m.AwaitStatus(func(now Status) bool { return now.moves() != s.moves() })
	m.sh("echo Y >/sys/kernel/debug/" + standin.Board + "/pulled")
	m.AwaitStatus(func(s Status) bool { return !s.Machine.Joystick })
	m.sh("echo N >/sys/kernel/debug/" + standin.Board + "/pulled")
	m.AwaitStatus(func(s Status) bool { return s.Machine.Joystick })
}
