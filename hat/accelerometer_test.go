package hat

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/i2c/i2ctest"
)

// upright is tested with the HAT on each of its edges, tilted, and flat.
func TestUpright(t *testing.T) {
	const g = 16393
	tilted := func(degrees float64) (int, int) { // clockwise, from the usual orientation
		c, s := map[float64]float64{25: .906, 45: .707, 65: .423}[degrees], map[float64]float64{25: .423, 45: .707, 65: .906}[degrees]
		return int(-s * g), int(-c * g)
	}
	for _, tt := range []struct {
		name string
		x, y int
		want string
	}{
		{"HDMI down", 0, -g, "0 true"},
		{"the right edge up", g, 0, "90 true"},
		{"HDMI up", 0, g, "180 true"},
		{"the left edge up", -g, 0, "270 true"},
		{"flat", 0, 0, "0 false"},
		{"nearly flat", g / 2, 0, "0 false"},
		{"leaning back", 0, -g * 65 / 100, "0 true"},
		{"over its scale", 0, 32767, "180 true"},
		{"over the other end", 0, -32768, "0 true"},
	} {
		if degrees, ok := upright(tt.x, tt.y, g); fmt.Sprint(degrees, ok) != tt.want {
			t.Errorf("%s: %d %v, want %s", tt.name, degrees, ok, tt.want)
		}
	}
	for degrees, want := range map[float64]string{25: "0 true", 45: "0 false", 65: "270 true"} {
		x, y := tilted(degrees)
		if got, ok := upright(x, y, g); fmt.Sprint(got, ok) != want {
			t.Errorf("tilted by %v: %d %v, want %s", degrees, got, ok, want)
		}
	}
}

// The test plays back the transfers with a chip that is off, and with one that another program has
// set to ±8 g. The rotation of a HAT that lies flat does not change. A failed transfer is repeated
// and counted.
func TestAccelerometerTransfers(t *testing.T) {
	op := func(w, r []byte) i2ctest.IO { return i2ctest.IO{Addr: 0x6A, W: w, R: r} }
	bus := &failing{at: 5, Playback: i2ctest.Playback{DontPanic: true, Ops: []i2ctest.IO{
		op([]byte{0x0F}, []byte{0x68}), op([]byte{0x20}, []byte{0}), op([]byte{0x20, 0x40}, nil),
		op([]byte{0x28}, []byte{0, 0, 0, 0, 0, 0x40}),
		op([]byte{0x0F}, []byte{0x68}), op([]byte{0x20}, []byte{0x40}), op([]byte{0x28}, []byte{9, 0x40, 0, 0, 0, 0}),
		op([]byte{0x0F}, []byte{0x68}), op([]byte{0x20}, []byte{0x78}), op([]byte{0x28}, []byte{0, 0, 0, 0x10, 0, 0}),
		op([]byte{0x0F}, []byte{0x68}), op([]byte{0x20}, []byte{0x78}), op([]byte{0x28}, []byte{0, 0, 0, 0, 0, 0x10}),
		op([]byte{0x0F}, []byte{0x33}),
	}}}
	opened := 0
	way := &I2C{Device: "/dev/i2c-255", Open: func() (i2c.BusCloser, error) {
		opened++
		switch opened {
		case 1:
			return nil, fs.ErrNotExist
		case 2:
			return nil, fs.ErrPermission
		}
		return bus, nil
	}}
	a := way.Accelerometer()
	says := func(want string) {
		t.Helper()
		if _, err := a.Rotation(); err == nil || !strings.HasPrefix(err.Error(), "hat: "+want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	says("cannot open the I²C bus /dev/i2c-255: file does not exist: switch it on with")
	says("cannot open the I²C bus /dev/i2c-255: permission denied: join its group")
	for i, want := range []int{0, 90, 180, 180} {
		if got, err := a.Rotation(); err != nil || got != want {
			t.Errorf("%d: %d, %v, want %d", i, got, err, want)
		}
	}
	if n := way.ErrorCount(); n != 1 {
		t.Errorf("%d errors", n)
	}
	says("the chip at 0x6a of the I²C bus is not an LSM9DS1 (ID 0x33")
	says("no accelerometer answers at 0x6a")
	a.taken = func() bool { return true }
	says("a kernel driver uses the accelerometer")
	if err := bus.Close(); err != nil {
		t.Error(err)
	}
	if opened != 4 { // two failures, the wrong chip, and the reading after it
		t.Errorf("opened %d times", opened)
	}
}

// failing is a bus on which one transfer fails.
type failing struct {
	i2ctest.Playback
	made, at int
}

func (f *failing) Tx(addr uint16, w, r []byte) error {
	if f.made++; f.made == f.at {
		return errors.New("a glitch")
	}
	return f.Playback.Tx(addr, w, r)
}
