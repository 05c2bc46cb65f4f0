package hat

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/i2c/i2ctest"
)

func TestDevices(t *testing.T) {
	s := newTree(t)
	s.name(t, "graphics/fb0/name", "vc4drmfb")
	s.name(t, "graphics/fb1/name", MatrixName)
	s.name(t, "graphics/fbcon/name", "the console")
	s.name(t, "input/event3/device/name", JoystickName)
	s.name(t, "input/mouse0/device/name", "a mouse's other device")
	must(t, os.Remove(filepath.Join(s.sys, "class/graphics/fbcon/name"))) // the kernel has no such file either
	for _, tt := range []struct {
		part part
		want []Device
	}{
		{matrixPart(), []Device{{"vc4drmfb", filepath.Join(s.dev, "fb0")}, {MatrixName, filepath.Join(s.dev, "fb1")}}},
		{joystickPart(), []Device{{JoystickName, filepath.Join(s.dev, "input/event3")}}},
	} {
		if got, err := s.devices(tt.part); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%v, %v, want %v", got, err, tt.want)
		}
	}
}

func TestProbe(t *testing.T) {
	answer := func(id byte) []i2ctest.IO {
		return []i2ctest.IO{{Addr: boardAddress, W: []byte{regWhoAmI}, R: []byte{id}}}
	}
	for _, tt := range []struct {
		name string
		open error
		ops  []i2ctest.IO
		ok   bool
		errs []error
	}{
		{"HAT", nil, answer('s'), true, nil},
		{"highest bit", nil, answer('s' | 0x80), true, nil},
		{"other board", nil, answer('r'), false, nil},
		{"silence", nil, []i2ctest.IO{}, false, []error{ErrGone}},
		{"no permission", os.ErrPermission, nil, false, []error{ErrPermission, fs.ErrPermission}},
		{"no bus", os.ErrNotExist, nil, false, []error{ErrNotFound, fs.ErrNotExist}},
	} {
		synctest.Test(t, func(t *testing.T) {
			i := &I2C{Device: "/dev/i2c-1", Open: func() (i2c.BusCloser, error) {
				if tt.open != nil {
					return nil, tt.open
				}
				return &i2ctest.Playback{Ops: tt.ops, DontPanic: true}, nil
			}}
			ok, err := i.Probe()
			if ok != tt.ok || (err != nil) != (tt.errs != nil) {
				t.Errorf("%s: %v, %v", tt.name, ok, err)
			}
			kinds(t, err, tt.errs...)
		})
	}
}
