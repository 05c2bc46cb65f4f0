package hat_test

import (
	"bytes"
	"errors"
	"image/color"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/i2c/i2ctest"
)

// frameOf is a transfer of all LEDs.
func frameOf(leds [192]byte) i2ctest.IO {
	return i2ctest.IO{Addr: 0x46, W: append([]byte{0}, leds[:]...)}
}

func lit(frame *[64]color.RGBA) (bytes [192]byte) {
	for i, v := range standin.Lit(*frame) {
		for channel := range v {
			copy(bytes[i*24+channel*8:], v[channel][:])
		}
	}
	return bytes
}

// short is a bus whose adapter is limited to small transfers.
type short struct{ *i2ctest.Playback }

func (short) MaxTxSize() int { return 101 }

// The test compares the bytes on the bus: the ID, a frame in one transfer, nothing for an unchanged
// frame, and a dark frame at the end.
func TestI2CMatrixTransfers(t *testing.T) {
	var picture [64]color.RGBA
	for i := range picture {
		picture[i] = color.RGBA{R: uint8(i * 4), G: uint8(255 - i), B: uint8(i * 37)}
	}
	whoAmI := i2ctest.IO{Addr: 0x46, W: []byte{0xF0}, R: []byte{'s' | 0x80}}
	full, parts := lit(&picture), []i2ctest.IO{}
	for _, leds := range [][192]byte{{}, full, full, {}} {
		parts = append(parts,
			i2ctest.IO{Addr: 0x46, W: append([]byte{0}, leds[:100]...)},
			i2ctest.IO{Addr: 0x46, W: append([]byte{100}, leds[100:]...)})
	}
	for name, tt := range map[string]struct {
		ops []i2ctest.IO
		bus func(*i2ctest.Playback) i2c.BusCloser
	}{
		"whole": {
			[]i2ctest.IO{whoAmI, frameOf([192]byte{}), frameOf(full), frameOf(full), frameOf([192]byte{})},
			func(p *i2ctest.Playback) i2c.BusCloser { return p },
		},
		"parts": {
			append([]i2ctest.IO{whoAmI}, parts...),
			func(p *i2ctest.Playback) i2c.BusCloser { return short{p} },
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &i2ctest.Playback{Ops: tt.ops, DontPanic: true}
			m, err := (&hat.I2C{Open: func() (i2c.BusCloser, error) { return tt.bus(p), nil }}).OpenMatrix(nil)
			must(t, err)
			for range 3 {
				must(t, m.WriteFrame(&picture))
			}
			must(t, m.Refresh())
			if err := m.Close(); err != nil { // fails if not all was played back
				t.Fatal(err)
			}
		})
	}
}

func TestWrongBoard(t *testing.T) {
	for want, tt := range map[string]func() (i2c.BusCloser, error){
		"hat: nothing answers at 0x46 of the I²C bus /dev/i2c-1: seat the HAT on all 40 pins": func() (i2c.BusCloser, error) {
			return &i2ctest.Playback{DontPanic: true}, nil
		},
		"hat: the chip at 0x46 of the I²C bus /dev/i2c-1 is not a Sense HAT (ID 0x12, not 0x73)": func() (i2c.BusCloser, error) {
			return &i2ctest.Playback{Ops: []i2ctest.IO{{Addr: 0x46, W: []byte{0xF0}, R: []byte{0x12}}}, DontPanic: true}, nil
		},
		"hat: cannot open the I²C bus /dev/i2c-1: broken": func() (i2c.BusCloser, error) { return nil, errors.New("broken") },
	} {
		way := &hat.I2C{Device: "/dev/i2c-1", Open: tt}
		_, err := way.OpenMatrix(nil)
		_, joystickErr := (&hat.I2C{Device: "/dev/i2c-1", Open: tt}).OpenJoystick(nil)
		for _, err := range []error{err, joystickErr} {
			if err == nil || err.Error() != want || !errors.Is(err, hat.ErrNotFound) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
}

// If one transfer in three fails, the LEDs still show the last frame.
func TestTransferRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := hattest.NewBoard()
		m, err := b.I2C().OpenMatrix(nil)
		must(t, err)
		b.FailEvery(3)
		for i := range 100 {
			var f [64]color.RGBA
			f[i%64] = color.RGBA{R: 248}
			must(t, m.WriteFrame(&f))
			if got := b.LEDs(); got != lit(&f) {
				t.Fatalf("after frame %d: % x", i, got)
			}
		}
		if n := b.I2C().ErrorCount(); n < 30 {
			t.Errorf("%d errors", n)
		}
		if err := m.Close(); err != nil || b.Handles() != 0 {
			t.Error(err, b.Handles())
		}
	})
}

// Each pause between two tries is twice as long as the one before: a glitch of 30 ms passes, and not
// more than five transfers are made.
func TestTransferPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := hattest.NewBoard()
		m, err := b.I2C().OpenMatrix(nil)
		must(t, err)
		b.Unplug()
		began, tried := time.Now(), b.Transfers()
		if err := m.Refresh(); !errors.Is(err, hat.ErrGone) {
			t.Error(err)
		}
		if took, n := time.Since(began), b.Transfers()-tried; took != (2+4+8+16)*time.Millisecond || n != 5 {
			t.Errorf("%d transfers in %v", n, took)
		}
	})
}

// An unplugged board is reported as disconnected, and is dark once it is back.
func TestBoardDisconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := hattest.NewBoard()
		m, err := b.I2C().OpenMatrix(nil)
		must(t, err)
		s, err := b.I2C().OpenJoystick(nil)
		must(t, err)
		b.Unplug()
		err = m.Refresh()
		if !errors.Is(err, hat.ErrGone) || !strings.HasPrefix(err.Error(), "hat: the matrix on the I²C bus in memory was disconnected") {
			t.Error(err)
		}
		if _, err := s.ReadEvent(); !errors.Is(err, hat.ErrGone) {
			t.Error(err)
		}
		if err := m.Close(); !errors.Is(err, hat.ErrGone) {
			t.Error(err)
		}
		if err := s.Close(); err != nil || b.Handles() != 0 {
			t.Error(err, b.Handles())
		}
		if _, err := b.I2C().OpenMatrix(nil); !errors.Is(err, hat.ErrNotFound) {
			t.Error(err)
		}
		b.Plug()
		m, err = b.I2C().OpenMatrix(nil)
		must(t, err)
		m.Close()
	})
}

// WriteFrame itself does not allocate.
func TestI2CMatrixAllocs(t *testing.T) {
	way := &hat.I2C{Open: func() (i2c.BusCloser, error) { return &still{}, nil }}
	m, err := way.OpenMatrix(nil)
	must(t, err)
	var frame [64]color.RGBA
	n := testing.AllocsPerRun(100, func() {
		frame[3].R += 8
		must(t, m.WriteFrame(&frame))
	})
	if n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// still is a bus that accepts every transfer.
type still struct{ i2ctest.Playback }

func (*still) Tx(_ uint16, w, r []byte) error {
	if bytes.Equal(w, []byte{0xF0}) {
		r[0] = 's'
	}
	return nil
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
