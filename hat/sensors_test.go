package hat

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/i2c/i2ctest"
)

// upright is tested with the HAT on each of its edges, tilted, and flat.
func TestUpright(t *testing.T) {
	const g = 16393
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
		{"25 degrees clockwise", -g * 423 / 1000, -g * 906 / 1000, "0 true"},
		{"45 degrees clockwise", -g * 707 / 1000, -g * 707 / 1000, "0 false"},
		{"65 degrees clockwise", -g * 906 / 1000, -g * 423 / 1000, "270 true"},
		{"over its scale", 0, 32767, "180 true"},
		{"over the other end", 0, -32768, "0 true"},
	} {
		if degrees, ok := upright(tt.x, tt.y); fmt.Sprint(degrees, ok) != tt.want {
			t.Errorf("%s: %d %v, want %s", tt.name, degrees, ok, tt.want)
		}
	}
}

// The test plays back the transfers. The rotation of a HAT that lies flat does not change. A failed transfer is repeated
// and counted.
func TestAccelerometerTransfers(t *testing.T) {
	turn := func(values ...byte) []i2ctest.IO {
		return []i2ctest.IO{{Addr: 0x6A, W: []byte{0x20, 0x40}}, {Addr: 0x6A, W: []byte{0x28}, R: values}}
	}
	bus := &failing{at: 3, Playback: i2ctest.Playback{DontPanic: true, Ops: slices.Concat(
		turn(0, 0, 0, 0), turn(9, 0x40, 0, 0), turn(0, 0, 0, 0x40), turn(0, 0, 0, 0),
	)}}
	var open error
	way := &I2C{Device: "/dev/i2c-255", sys: t.TempDir(), Open: func() (i2c.BusCloser, error) { return bus, open }}
	says := func(want string) {
		t.Helper()
		if _, err := way.Rotation(); err == nil || !strings.HasPrefix(err.Error(), "hat: "+want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	open = fs.ErrNotExist
	says("cannot open the I²C bus /dev/i2c-255: file does not exist: switch it on with")
	open = fs.ErrPermission
	says("cannot open the I²C bus /dev/i2c-255: permission denied: join its group")
	open = nil
	for i, want := range []int{0, 90, 180, 180} {
		if got, err := way.Rotation(); err != nil || got != want {
			t.Errorf("%d: %d, %v, want %d", i, got, err, want)
		}
	}
	if n := way.ErrorCount(); n != 1 {
		t.Errorf("%d errors", n)
	}
	says("the accelerometer does not answer")
	must(t, os.MkdirAll(filepath.Join(way.sys, "bus/i2c/devices/255-006a/driver"), 0o755))
	says("a kernel driver uses the accelerometer")
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

// The chip is found by its ID at either address, measures once, and is off afterwards.
func TestLightSensorTransfers(t *testing.T) {
	measure := func(address uint16, id, low, high byte) (ops []i2ctest.IO) {
		for _, io := range [][2][]byte{
			{{0x92}, {id}}, {{0x81, 192}, nil}, {{0x8F, 2}, nil}, {{0x80, 3}, nil}, {{0x94}, {low}}, {{0x95}, {high}}, {{0x80, 0}, nil},
		} {
			ops = append(ops, i2ctest.IO{Addr: address, W: io[0], R: io[1]})
		}
		return ops
	}
	other := []i2ctest.IO{{Addr: 0x29, W: []byte{0x92}, R: []byte{0x33}}} // another chip
	for _, test := range []struct {
		name string
		ops  []i2ctest.IO
		want string
	}{
		{"TCS34725", measure(0x29, 0x44, 0, 0x60), "8.633"},
		{"TCS3400", append(other, measure(0x39, 0x90, 0x78, 0x0B)...), "1.031"},
		{"saturated", measure(0x29, 0x93, 0xFF, 0xFF), "23.021"},
		{"gone", measure(0x29, 0x93, 0, 0)[:3], "hat: the light sensor was disconnected"},
		{"none", other, "hat: no light sensor answers at 0x29 or 0x39: only a Sense HAT V2 has one"},
	} {
		synctest.Test(t, func(t *testing.T) {
			bus := &i2ctest.Playback{DontPanic: true, Ops: test.ops}
			began := time.Now()
			light, err := (&I2C{Open: func() (i2c.BusCloser, error) { return bus, nil }}).Light()
			got := fmt.Sprintf("%.3f", light)
			if err != nil {
				got = err.Error()
			}
			if err == nil && time.Since(began) < 64*2780*time.Microsecond {
				t.Errorf("%s: read after %v, during the measurement", test.name, time.Since(began))
			}
			if !strings.HasPrefix(got, test.want) || bus.Count != len(test.ops) {
				t.Errorf("%s: %s after %d transfers, want %s after %d", test.name, got, bus.Count, test.want, len(test.ops))
			}
		})
	}
}

// still is a board that accepts every transfer.
type still struct{ i2ctest.Playback }

func (*still) Tx(_ uint16, w, r []byte) error {
	if len(r) > 0 && w[0] == regWhoAmI {
		r[0] = boardID
	}
	return nil
}
