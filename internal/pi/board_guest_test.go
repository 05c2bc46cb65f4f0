//go:build guest

package pi

import (
	"context"
	"errors"
	"image/color"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"golang.org/x/sys/unix"
	"periph.io/x/conn/v3/gpio"
	"periph.io/x/conn/v3/i2c"
)

// boardOpts returns the options for a HAT on a Pi without kernel drivers.
func boardOpts() *hat.Opts {
	return &hat.Opts{I2C: &hat.I2C{
		Device: Bus, Open: func() (i2c.BusCloser, error) { return OpenBus(Bus) }, Interrupt: KeysLine,
	}}
}

func openBoard(t *testing.T, o *hat.Opts) (*hat.Matrix, *hat.Joystick) {
	t.Helper()
	m, err := hat.OpenMatrix(o)
	must(t, err)
	s, err := hat.OpenJoystick(o)
	must(t, err)
	return m, s
}

func files(t *testing.T) int {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(open)
}

// Standard input stays open even if a GPIO controller has a second name. This test comes first,
// because a program may search for controllers only once.
func TestLineKeepsStandardInput(t *testing.T) {
	var before, after unix.Stat_t
	must(t, unix.Fstat(0, &before))
	must(t, os.Symlink("gpiochip0", "/dev/gpiochip4"))
	defer os.Remove("/dev/gpiochip4")
	for range 2 {
		s, err := hat.OpenJoystick(boardOpts())
		must(t, err)
		s.Close()
	}
	if err := unix.Fstat(0, &after); err != nil || after.Rdev != before.Rdev || after.Ino != before.Ino {
		t.Errorf("standard input is another file: %v", err)
	}
}

// On a kernel I²C bus the LEDs work, keys arrive through the interrupt line, and no file stays
// open.
func TestBoardOnTheBus(t *testing.T) {
	o := boardOpts()
	before := 0
	for round := range 4 {
		m, s := openBoard(t, o)
		var frame [64]color.RGBA
		for i := range frame {
			frame[i] = color.RGBA{R: uint8(i * 4), G: uint8(255 - i), B: uint8(i * 37)}
		}
		must(t, m.WriteFrame(&frame))
		lit(t, standin.Lit(frame))
		if n, err := standin.BoardLongest(); n != 193 {
			t.Errorf("a transfer of %d bytes, %v", n, err)
		}
		if _, err := hat.OpenMatrix(o); !errors.Is(err, hat.ErrBusy) || !strings.Contains(err.Error(), "in use by process") {
			t.Errorf("a second owner: %v", err)
		}
		for bit, key := range []hat.Key{hat.Down, hat.Right, hat.Up, hat.Middle, hat.Left} {
			for _, action := range []hat.Action{hat.Press, hat.Release} {
				time.AfterFunc(10*time.Millisecond, func() { // usually while ReadEvent waits
					_ = standin.BoardKeys(map[hat.Action]byte{hat.Press: 1 << bit}[action])
				})
				e, err := s.ReadEvent()
				for err == nil && e.Action == hat.Hold { // a key is held on a busy machine
					e, err = s.ReadEvent()
				}
				if e != (hat.Event{Key: key, Action: action}) {
					t.Errorf("%v, %v; want the %v of %v", e, err, action, key)
				}
			}
		}
		closed := make(chan error)
		go func() {
			_, err := s.ReadEvent()
			closed <- err
		}()
		time.Sleep(10 * time.Millisecond)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-closed; !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		lit(t, standin.LEDs{})
		if n := files(t); round == 0 {
			before = n
		} else if n != before {
			t.Errorf("%d files are open, %d were", n, before)
		}
	}
}

func lit(t *testing.T, want standin.LEDs) {
	t.Helper()
	if leds, err := standin.BoardLEDs(); leds != want {
		t.Errorf("the LEDs show, %v\n%vwant\n%v", err, leds, want)
	}
}

// A failed transfer is repeated. A board that is pulled off is reported as disconnected, and can be
// opened again when it is back.
func TestBoardPulled(t *testing.T) {
	o := boardOpts()
	m, s := openBoard(t, o)
	must(t, standin.BoardFails(3))
	if err := m.Refresh(); err != nil || o.I2C.ErrorCount() != 3 {
		t.Errorf("%v after %d errors", err, o.I2C.ErrorCount())
	}
	must(t, standin.BoardPulled(true))
	defer func() { _ = standin.BoardPulled(false) }()
	if err := m.Refresh(); !errors.Is(err, hat.ErrGone) || !strings.Contains(err.Error(), "remote I/O error") {
		t.Errorf("pulled off: %v", err)
	}
	if _, err := s.ReadEvent(); !errors.Is(err, hat.ErrGone) {
		t.Errorf("pulled off: %v", err)
	}
	s.Close()
	m.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := hat.OpenMatrix(o); !errors.Is(err, hat.ErrNotFound) || !strings.Contains(err.Error(), "nothing answers at 0x46") {
		t.Errorf("pulled off: %v", err)
	}
	time.AfterFunc(time.Second, func() { _ = standin.BoardPulled(false) })
	m, err := hat.AwaitMatrix(ctx, o, nil)
	must(t, err)
	m.Close()
}

// Keys arrive even if the interrupt line cannot be used, because another program has it or because
// two controllers have the right name. They also arrive if the bus returns a wrong highest bit.
func TestBoardWithoutLine(t *testing.T) {
	other := KeysLine()
	for name, c := range map[string]struct{ begin, end func() error }{
		"taken":   {func() error { return other.In(gpio.PullNoChange, gpio.RisingEdge) }, func() error { other.(*line).Close(); return nil }},
		"twin":    {func() error { return standin.BoardTwin(true) }, func() error { return standin.BoardTwin(false) }},
		"highest": {func() error { return standin.BoardFlips(true) }, func() error { return standin.BoardFlips(false) }},
	} {
		if err := c.begin(); err != nil {
			t.Fatal(name, err)
		}
		if got := KeysLine(); (got == nil) != (name == "twin") {
			t.Errorf("%s: the line is %v", name, got)
		}
		m, s := openBoard(t, boardOpts())
		time.AfterFunc(10*time.Millisecond, func() { _ = standin.BoardKeys(4) })
		if e, err := s.ReadEvent(); e != (hat.Event{Key: hat.Up, Action: hat.Press}) {
			t.Errorf("%s: %v, %v; want a press of up", name, e, err)
		}
		_ = standin.BoardKeys(0)
		if e, err := s.ReadEvent(); e.Key != hat.Up { // reading the key lowers the line
			t.Errorf("%s: %v, %v", name, e, err)
		}
		s.Close()
		m.Close()
		if err := c.end(); err != nil {
			t.Error(name, err)
		}
	}
}

// The accelerometer is turned on and read.
func TestBoardUpright(t *testing.T) {
	if up, err := boardOpts().I2C.Accelerometer().Rotation(); up != 0 || err != nil {
		t.Error(up, err)
	}
}

// A line can be taken only once. After Close it can be taken again.
func TestLineHasOneOwner(t *testing.T) {
	one, other := KeysLine(), KeysLine()
	if one == nil {
		t.Fatal("there is no line")
	}
	take := func(p gpio.PinIn) error { return p.In(gpio.PullNoChange, gpio.RisingEdge) }
	must(t, take(one))
	if err := take(other); !errors.Is(err, unix.EBUSY) {
		t.Errorf("taken twice: %v", err)
	}
	if other.WaitForEdge(-1) {
		t.Error("an edge of a line that was not taken")
	}
	if began := time.Now(); one.WaitForEdge(20*time.Millisecond) || time.Since(began) < 20*time.Millisecond {
		t.Errorf("an edge after %v", time.Since(began))
	}
	must(t, standin.BoardKeys(1))
	defer func() { _ = standin.BoardKeys(0) }()
	if !one.WaitForEdge(-1) {
		t.Error("the line did not rise")
	}
	one.(*line).Close()
	if err := take(other); err != nil {
		t.Errorf("after Close: %v", err)
	}
	other.(*line).Close()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
