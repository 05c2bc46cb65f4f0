package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
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
		if err := writeStatus(&out, tt.m, game.View{Phase: game.Attract}); err != nil {
			t.Error(err)
		}
		want := "matrix missing, joystick missing: run c4hat doctor to find out why\n" + tt.want + "nobody plays"
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q, want %q", out.String(), want)
		}
	}
}

// c4hat status names the player to move only if there is one.
func TestStatusMatch(t *testing.T) {
	for _, tt := range []struct {
		rounds []string
		want   string
	}{
		{[]string{""}, "red 0, yellow 0; red begins a round"},
		{[]string{"4453"}, "red 0, yellow 0; 4 discs are on the board; red to move"},
		{[]string{"1212121"}, "red 0, yellow 0; the round is over"},
		{[]string{"1212121", ""}, "red 1, yellow 0; red begins a round"},
	} {
		m, g, err := board.ParseMatch(board.Standard, 2, board.FirstRed, 0, tt.rounds)
		must(t, err)
		if got, want := words.Record(game.Record{Match: m, Game: g}), "7x6, two players: "+tt.want; got != want {
			t.Errorf("%q: %q, want %q", tt.rounds, got, want)
		}
	}
}
