package play

import (
	"bytes"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/socket"
)

// c4hat status says that a HAT is driven over I²C, and how many bus errors there were.
func TestStatusBus(t *testing.T) {
	for _, tt := range []struct {
		m    socket.Machine
		want string
	}{
		{socket.Machine{}, ""},
		{socket.Machine{I2C: "/dev/i2c-1"}, "driven over /dev/i2c-1, without the kernel driver; bus errors: 0\n"},
		{socket.Machine{I2C: "/dev/i2c-1", BusErrors: 7}, "driven over /dev/i2c-1, without the kernel driver; bus errors: 7\n"},
		{socket.Machine{BusErrors: 7}, "bus errors: 7\n"},
	} {
		var out bytes.Buffer
		s := socket.Status{State: api.NewState(game.View{Phase: game.Attract}), Machine: tt.m}
		if err := Status(&out, socket.Dial(""), s, false); err != nil {
			t.Error(err)
		}
		want := "matrix missing, joystick not in use: run c4hat doctor to find out why\n" + tt.want + "nobody plays"
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q, want %q", out.String(), want)
		}
	}
}
