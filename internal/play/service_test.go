package play

import (
	"bytes"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/socket"
	"github.com/c4hat/c4hat/internal/words"
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
		want := "matrix missing, joystick waiting for it: run c4hat doctor to find out why\n" + tt.want + "nobody plays"
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q, want %q", out.String(), want)
		}
	}
}

// c4hat status says which part of a HAT is missing. The service opens no joystick before a matrix.
func TestStatusDevices(t *testing.T) {
	for _, tt := range []struct {
		matrix, joystick bool
		want             string
	}{
		{true, true, "matrix found, joystick found\n"},
		{true, false, "matrix found, joystick missing: run c4hat doctor to find out why\n"},
		{false, true, "matrix missing, joystick found: run c4hat doctor to find out why\n"},
		{false, false, "matrix missing, joystick waiting for it: run c4hat doctor to find out why\n"},
	} {
		var out bytes.Buffer
		s := socket.Status{State: api.NewState(game.View{Phase: game.Attract}), Machine: socket.Machine{Matrix: tt.matrix, Joystick: tt.joystick}}
		if err := Status(&out, socket.Dial(""), s, false); err != nil || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%q, %v, want %q", out.String(), err, tt.want)
		}
	}
}

// That nobody wins is said of a match that was ended, not of one that goes on.
func TestPrintResult(t *testing.T) {
	for phase, want := range map[game.Phase]string{game.Aim: "", game.Paused: "", game.Over: words.NobodyWins + "\n"} {
		var out bytes.Buffer
		v := game.View{Phase: phase}
		v.Match, _ = board.NewMatch(board.Standard, 1, board.FirstRed, 0)
		v.Game = v.Match.NewGame()
		if err := (&Options{Streams: cli.Streams{Out: &out}}).printResult(v); err != nil || out.String() != want {
			t.Errorf("%v: %q, %v, want %q", phase, out.String(), err, want)
		}
	}
}
