package play

import (
	"bytes"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/service/socket"
)

// c4hat status says which part of a HAT is missing, that a HAT is driven over I²C, and how many bus errors
// there were. The service opens no joystick before a matrix.
func TestStatus(t *testing.T) {
	for want, m := range map[string]socket.Machine{
		"matrix found, joystick found":                                                     {Matrix: true, Joystick: true},
		"matrix found, joystick missing: run c4hat doctor to find out why":                 {Matrix: true},
		"matrix missing, joystick found: run c4hat doctor to find out why":                 {Joystick: true},
		"matrix missing, joystick waiting for it: run c4hat doctor to find out why":        {},
		"joystick found\ndriven over /dev/i2c-1, without the kernel driver\nbus errors: 0": {Matrix: true, Joystick: true, I2C: "/dev/i2c-1"},
		"joystick found\nbus errors: 7":                                                    {Matrix: true, Joystick: true, BusErrors: 7},
	} {
		var out bytes.Buffer
		s := socket.Status{State: api.NewState(game.View{Phase: game.Attract}), Machine: m}
		if err := Status(&out, socket.Dial(""), s, false); err != nil || !strings.Contains(out.String(), want+"\nnobody plays") {
			t.Errorf("%q, %v, want %q", out.String(), err, want)
		}
	}
}
