package hat

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/i2c/i2ctest"
)

// The chip is found by its ID at either address, measures once, and is off afterwards. Errors say what
// is missing.
func TestLightSensorTransfers(t *testing.T) {
	measure := func(address uint16, id, status, low, high byte) (ops []i2ctest.IO) {
		for _, io := range [][2][]byte{
			{{0x92}, {id}}, {{0x80, 1}, nil}, {{0x81, 192}, nil}, {{0x8F, 2}, nil}, {{0x80, 3}, nil},
			{{0x93}, {status}}, {{0x94}, {low}}, {{0x95}, {high}}, {{0x80, 0}, nil},
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
		{"TCS34725", measure(0x29, 0x44, 1, 0, 0x60), "10.000"},
		{"TCS3400", append(other, measure(0x39, 0x90, 1, 0x78, 0x0B)...), "1.031"},
		{"saturated", measure(0x29, 0x93, 1, 0xFF, 0xFF), "23.021"},
		{"reset", measure(0x29, 0x93, 0, 0, 0), "hat: the light sensor was disconnected: no measurement is complete"},
		{"none", other, "hat: no light sensor answers at 0x29 or 0x39 of the I²C bus: only a Sense HAT V2 has one"},
	} {
		synctest.Test(t, func(t *testing.T) {
			bus := &i2ctest.Playback{DontPanic: true, Ops: test.ops}
			l := (&I2C{Open: func() (i2c.BusCloser, error) { return bus, nil }}).LightSensor()
			l.iio = t.TempDir()
			light, err := l.Light()
			got := fmt.Sprintf("%.3f", light)
			if err != nil {
				got = err.Error()
			}
			if got != test.want || bus.Count != len(test.ops) {
				t.Errorf("%s: %s after %d transfers, want %s after %d", test.name, got, bus.Count, test.want, len(test.ops))
			}
		})
	}
}

// A driver of the kernel is asked instead of the chip.
func TestLightSensorDriver(t *testing.T) {
	l := (&I2C{Open: func() (i2c.BusCloser, error) { return nil, errors.New("used") }}).LightSensor()
	l.iio = t.TempDir()
	put := func(name, text string) {
		file := filepath.Join(l.iio, "iio:device1", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	put("name", "lsm9ds1\n")
	if _, err := l.Light(); err == nil || !strings.Contains(err.Error(), "used") {
		t.Errorf("another sensor's driver was asked: %v", err)
	}
	put("name", "tcs3472\n")
	if _, err := l.Light(); err == nil || !strings.Contains(err.Error(), "reading the light sensor") {
		t.Errorf("without files: %v", err)
	}
	put("in_intensity_clear_raw", "96\n")
	put("in_intensity_integration_time", "0.024000\n")
	put("in_intensity_calibscale", "4\n")
	if light, err := l.Light(); err != nil || light < 0.999 || light > 1.001 {
		t.Errorf("%v, %v", light, err)
	}
}
