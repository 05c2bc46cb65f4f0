package hat_test

import (
	"errors"
	"image/color"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"github.com/c4hat/c4hat/internal/dev/try"
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

// The test compares the bytes on the bus: the ID, a frame in one transfer, nothing for an unchanged
// frame, and a dark frame at the end.
func TestI2CMatrixTransfers(t *testing.T) {
	var picture [64]color.RGBA
	for i := range picture {
		picture[i] = color.RGBA{R: uint8(i * 4), G: uint8(255 - i), B: uint8(i * 37)}
	}
	full := lit(&picture)
	p := &i2ctest.Playback{DontPanic: true, Ops: []i2ctest.IO{
		{Addr: 0x46, W: []byte{0xF0}, R: []byte{'s' | 0x80}},
		frameOf([192]byte{}), frameOf(full), frameOf(full), frameOf([192]byte{}),
	}}
	m, err := (&hat.I2C{Open: func() (i2c.BusCloser, error) { return p, nil }}).OpenMatrix()
	must(t, err)
	for range 3 {
		must(t, m.WriteFrame(&picture))
	}
	must(t, m.Refresh())
	must(t, m.Close()) // fails if not all was played back
}

func TestWrongBoard(t *testing.T) {
	for want, tt := range map[string]func() (i2c.BusCloser, error){
		"hat: no Sense HAT at 0x46 on the I²C bus /dev/i2c-1: the Sense HAT does not answer: hattest: remote I/O error: seat the HAT on all 40 pins": func() (i2c.BusCloser, error) {
			b := hattest.NewBoard()
			b.Unplug()
			return b.Open()
		},
		"hat: no Sense HAT at 0x46 on the I²C bus /dev/i2c-1: the ID of the chip is 0x12, not 0x73: seat the HAT on all 40 pins": func() (i2c.BusCloser, error) {
			return &i2ctest.Playback{Ops: []i2ctest.IO{{Addr: 0x46, W: []byte{0xF0}, R: []byte{0x12}}}, DontPanic: true}, nil
		},
		"hat: cannot open the I²C bus /dev/i2c-1: broken": func() (i2c.BusCloser, error) { return nil, errors.New("broken") },
	} {
		way := &hat.I2C{Device: "/dev/i2c-1", Open: tt}
		_, err := way.OpenMatrix()
		_, joystickErr := (&hat.I2C{Device: "/dev/i2c-1", Open: tt}).OpenJoystick()
		for _, err := range []error{err, joystickErr} {
			if err == nil || err.Error() != want || !errors.Is(err, hat.ErrNotFound) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
}

// An unplugged board is reported as disconnected, and is dark once it is back.
func TestBoardDisconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := hattest.NewBoard()
		m, err := b.I2C().OpenMatrix()
		must(t, err)
		s, err := b.I2C().OpenJoystick()
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
		if _, err := b.I2C().OpenMatrix(); !errors.Is(err, hat.ErrNotFound) {
			t.Error(err)
		}
		b.Plug()
		m, err = b.I2C().OpenMatrix()
		must(t, err)
		m.Close()
	})
}

// Presses, repeats and releases come as from the kernel. The keys are read 50 times a second, and 5 times
// while a matrix has been dark for a while and no key is down.
func TestI2CJoystick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := hattest.NewBoard()
		b.Press(hat.Up) // before the joystick is opened: not reported
		m, err := b.I2C().OpenMatrix()
		must(t, err)
		s, err := b.I2C().OpenJoystick()
		must(t, err)
		must(t, s.Rotate(180))
		type seen struct {
			hat.Event
			at time.Duration
		}
		var events []seen
		began, done := time.Now(), make(chan error, 1)
		go func() {
			for {
				e, err := s.ReadEvent()
				if err != nil {
					done <- err
					return
				}
				events = append(events, seen{e, time.Since(began)})
			}
		}()
		at := func(ms int) {
			time.Sleep(time.Until(began.Add(time.Duration(ms) * time.Millisecond)))
			synctest.Wait()
		}
		must(t, m.WriteFrame(&[64]color.RGBA{{R: 248}}))
		at(100)
		b.Release(hat.Up)
		at(1000)
		b.Press(hat.Left)
		at(1000 + 250 + 40 + 30)
		b.Press(hat.Middle) // now this key repeats
		at(1500)
		b.Release(hat.Left) // ends the repeats
		at(3000)
		b.Release(hat.Middle)
		at(3100)
		for i, want := range []seen{
			{hat.Event{Key: hat.Right, Action: hat.Press}, 1000},
			{hat.Event{Key: hat.Right, Action: hat.Hold}, 1250},
			{hat.Event{Key: hat.Right, Action: hat.Hold}, 1290},
			{hat.Event{Key: hat.Middle, Action: hat.Press}, 1320},
			{hat.Event{Key: hat.Right, Action: hat.Release}, 1500},
			{hat.Event{Key: hat.Middle, Action: hat.Release}, 3000},
		} {
			if late := events[i].at - want.at*time.Millisecond; events[i].Event != want.Event || late < 0 || late > 30*time.Millisecond {
				t.Errorf("%v at %v, want it at %d ms", events[i].Event, events[i].at, want.at)
			}
		}
		if len(events) != 6 {
			t.Error(events)
		}
		reads := func(most int) {
			t.Helper()
			before := b.Transfers()
			time.Sleep(time.Minute)
			if n := b.Transfers() - before; n > most+1 || n < most*95/100 {
				t.Errorf("%d transfers in a minute, want %d", n, most)
			}
		}
		reads(3000)
		must(t, m.Halt())
		time.Sleep(300 * time.Millisecond) // it may be a blink
		b.Press(hat.Left)
		time.Sleep(40 * time.Millisecond)
		b.Release(hat.Left)
		time.Sleep(2 * time.Second)
		if synctest.Wait(); len(events) != 8 {
			t.Error("a short press is lost in a blink")
		}
		reads(300)
		b.Press(hat.Left)
		time.Sleep(200 * time.Millisecond)
		reads(3000)
		must(t, s.Close())
		if err := <-done; !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
		must(t, m.Close())
		if b.Handles() != 0 || b.I2C().InUse() {
			t.Errorf("%d handles", b.Handles())
		}
	})
}

var must = try.Must
