package main

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/game"
)

func TestBusValue(t *testing.T) {
	for s, ok := range map[string]bool{
		"": true, "off": true, "/dev/i2c-1": true, "/dev/i2c-22": true,
		"1": false, "/dev/i2c-": false, "/dev/i2c-01": false, "/dev/i2c--1": false, "/dev/i2c-999": false, "/dev/i2c-1/..": false, "on": false,
	} {
		var v busValue
		if err := v.Set(s); (err == nil) != ok || ok && v.String() != s {
			t.Errorf("%q: %q, %v", s, v, err)
		}
	}
	if w := busValue("off").way(); w != nil {
		t.Errorf("off: %v", w.Device)
	}
	if w := busValue("/dev/i2c-7").way(); w == nil || w.Device != "/dev/i2c-7" {
		t.Error("a bus that was named is not used")
	}
	// On another machine's bus anything may be at the HAT's address.
	if w := busValue("").way(); (w != nil) != onPi() {
		t.Errorf("on %s: %v", boardModel(), w)
	}
}

func TestNoBus(t *testing.T) {
	if _, err := openBus("/dev/i2c-255"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// The accelerometer is asked on the bus whose errors status tells; what is wrong with it
// is said with what to do.
func TestUpright(t *testing.T) {
	s := newSettings()
	s.i2c, s.rotate.word = "off", "auto"
	_, err := upright(s.bus())()
	if err == nil || !strings.Contains(err.Error(), "set i2c, or rotate") {
		t.Error(err)
	}
	s = newSettings()
	s.i2c = "/dev/i2c-255"
	if s.bus() == nil || s.hat().I2C != s.bus() {
		t.Error("it is another bus")
	}
	if _, err := upright(s.bus())(); err == nil || !strings.HasSuffix(err.Error(), `"sudo raspi-config nonint do_i2c 0"; or set rotate to a number`) {
		t.Error(err)
	}
	b := hattest.NewBoard()
	b.Tilt(16393, 0, 0)
	if got, err := upright(b.I2C())(); got != 90 || err != nil {
		t.Error(got, err)
	}
}

// status tells of a HAT that is driven directly, and of its bus's errors.
func TestStatusOfTheBus(t *testing.T) {
	for _, tt := range []struct {
		m    control.Machine
		want string
	}{
		{control.Machine{}, ""},
		{control.Machine{I2C: "/dev/i2c-1"}, "driven over /dev/i2c-1, without the kernel's driver; bus errors: 0\n"},
		{control.Machine{I2C: "/dev/i2c-1", BusErrors: 7}, "driven over /dev/i2c-1, without the kernel's driver; bus errors: 7\n"},
		{control.Machine{BusErrors: 7}, "bus errors: 7\n"},
	} {
		var out bytes.Buffer
		if err := writeStatus(&out, tt.m, game.View{Phase: game.Attract}); err != nil {
			t.Error(err)
		}
		want := "matrix missing, joystick missing: c4hat doctor says why\n" + tt.want + "nobody is there"
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q, want %q", out.String(), want)
		}
	}
}

// status says who is to move only where somebody is.
func TestMatchText(t *testing.T) {
	for _, tt := range []struct {
		rounds []string
		want   string
	}{
		{[]string{""}, "red 0, yellow 0; red begins a round"},
		{[]string{"4453"}, "red 0, yellow 0; after 4453 red is to move"},
		{[]string{"1212121"}, "red 0, yellow 0; after 1212121 the round is over"},
		{[]string{"1212121", ""}, "red 1, yellow 0; red begins a round"},
	} {
		m, g, err := board.ParseMatch(board.Standard, 2, board.FirstRed, 0, tt.rounds)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := matchText(game.Record{Match: m, Game: g}), "7x6, two players: "+tt.want; got != want {
			t.Errorf("%q: %q, want %q", tt.rounds, got, want)
		}
	}
}
