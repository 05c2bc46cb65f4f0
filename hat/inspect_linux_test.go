package hat

import (
	"io/fs"
	"os"
	"testing"
	"testing/synctest"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/i2c/i2ctest"
)

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
