//go:build machine

package machine

import (
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"github.com/c4hat/c4hat/internal/socket"
)

// comesAsBoard removes the kernel's drivers for the HAT, and enables the HAT's bus while the service is
// running, as raspi-config does. The service then drives the board without a restart.
func comesAsBoard(t *testing.T, m *Machine) {
	m.Unplug()
	m.sh("echo " + standin.Module + " >/sys/bus/platform/drivers/" + standin.Module + `/unbind
		printf '[machine]\ni2c = "/dev/i2c-1"\n' >/etc/c4hat/config.toml
		systemctl restart c4hat`)
	m.AwaitStatus(func(s socket.Status) bool { return !s.Machine.Matrix })
	m.sh(`printf 'i2c-dev\n` + standin.Board + `\n' >/run/bus.conf
		/lib/systemd/systemd-modules-load /run/bus.conf
		chgrp i2c /dev/i2c-1; chmod g+rw /dev/i2c-1 # udev's rule for it is Raspberry Pi OS's`)
	s := m.AwaitStatus(func(s socket.Status) bool { return s.Machine.Matrix && s.Machine.Joystick })
	if s.Machine.I2C != "/dev/i2c-1" {
		t.Errorf("the board is driven over %q", s.Machine.I2C)
	}
	if e := m.Run("cat", "/sys/kernel/debug/"+standin.Board+"/leds"); strings.Trim(e.Out, "\x00") == "" {
		t.Error("the board's LEDs are dark")
	}
}
