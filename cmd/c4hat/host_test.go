package main

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/game"
	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/i2c/i2ctest"
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

// The accelerometer's bus is opened when it is first wanted, and once.
func TestUprightOpensItsBus(t *testing.T) {
	_, err := busValue("off").upright(nil)()
	if err == nil || !strings.Contains(err.Error(), "set i2c, or rotate") {
		t.Error(err)
	}
	bus := &i2ctest.Playback{DontPanic: true}
	for range 2 {
		bus.Ops = append(bus.Ops,
			i2ctest.IO{Addr: 0x6A, W: []byte{0x0F}, R: []byte{0x68}},
			i2ctest.IO{Addr: 0x6A, W: []byte{0x20}, R: []byte{0x40}},
			i2ctest.IO{Addr: 0x6A, W: []byte{0x28}, R: []byte{0, 0x40, 0, 0, 0, 0}})
	}
	opened := 0
	ask := busValue("/dev/i2c-255").upright(func(path string) (i2c.BusCloser, error) {
		opened++
		switch opened {
		case 1:
			return nil, fs.ErrNotExist
		case 2:
			return nil, fs.ErrPermission
		}
		return bus, nil
	})
	for _, says := range []string{"raspi-config", "usermod -aG i2c"} {
		if _, err := ask(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
	for range 2 {
		if got, err := ask(); got != 90 || err != nil {
			t.Error(got, err)
		}
	}
	if opened != 3 {
		t.Errorf("opened %d times", opened)
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
