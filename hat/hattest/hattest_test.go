package hattest

import (
	"context"
	"errors"
	"image/color"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/hat"
)

var (
	red     = color.RGBA{R: 248, A: 255}
	yellow  = color.RGBA{R: 248, G: 252, A: 255}
	dimBlue = color.RGBA{B: 64, A: 255}
	dark    = strings.Repeat("........\n", 8)
)

func corner(c color.RGBA) *[64]color.RGBA { return &[64]color.RGBA{0: c} }

func open(t *testing.T, h *HAT) (*hat.Matrix, *hat.Joystick) {
	t.Helper()
	m, err := h.OpenMatrix(nil)
	must(t, err)
	s, err := h.OpenJoystick(nil)
	must(t, err)
	return m, s
}

func TestLetters(t *testing.T) {
	frame := [64]color.RGBA{
		0: red, 1: yellow, 2: {G: 255}, 3: {B: 128}, 4: {255, 255, 255, 255}, 5: {255, 0, 255, 0}, 6: {0, 200, 255, 0},
		8: {R: 127}, 9: {62, 63, 0, 0}, 10: {G: 1}, 11: dimBlue, 12: {60, 60, 60, 0}, 13: {48, 0, 48, 0}, 14: {0, 48, 48, 0},
		63: {255, 127, 0, 0}, 62: {255, 128, 0, 0},
	}
	want := "RYGBWMC.\nrygbwmc.\n" + strings.Repeat("........\n", 5) + "......YR\n"
	if got := Letters(&frame); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestRotation(t *testing.T) {
	h := New()
	m, err := h.OpenMatrix(&hat.Opts{Rotate: 90})
	must(t, err)
	s, err := h.OpenJoystick(&hat.Opts{Rotate: 90})
	must(t, err)
	must(t, m.WriteFrame(corner(red)))
	if want := ".......R\n" + dark[9:]; h.Letters() != want {
		t.Errorf("got\n%s", h.Letters())
	}
	h.Press(hat.Right)
	if e, err := s.ReadEvent(); err != nil || e != (hat.Event{Key: hat.Up, Action: hat.Press}) {
		t.Errorf("%v, %v", e, err)
	}
	if _, err := New().OpenJoystick(&hat.Opts{Rotate: 1}); err == nil {
		t.Error("a rotation by one degree was accepted")
	}
	again := New()
	if _, err := again.OpenMatrix(&hat.Opts{Rotate: 1}); err == nil {
		t.Error("a rotation by one degree was accepted")
	} else if _, err := again.OpenMatrix(nil); err != nil {
		t.Errorf("after an open that failed: %v", err)
	}
}

func TestKeys(t *testing.T) {
	h := New()
	h.Press(hat.Up) // lost: no joystick is open
	_, s := open(t, h)
	h.Press(hat.Left, hat.Up)
	h.Hold(hat.Left)
	h.Release(hat.Left)
	h.Tap(hat.Down, hat.Middle, hat.Right)
	want := []hat.Event{
		{Key: hat.Left, Action: hat.Press}, {Key: hat.Up, Action: hat.Press}, {Key: hat.Left, Action: hat.Hold}, {Key: hat.Left, Action: hat.Release},
		{Key: hat.Down, Action: hat.Press}, {Key: hat.Down, Action: hat.Release},
		{Key: hat.Middle, Action: hat.Press}, {Key: hat.Middle, Action: hat.Release},
		{Key: hat.Right, Action: hat.Press}, {Key: hat.Right, Action: hat.Release},
	}
	var got []hat.Event
	for range want {
		e, err := s.ReadEvent()
		must(t, err)
		got = append(got, e)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}

	h.Press(hat.Left)
	h.Overflow()
	h.Press(hat.Down)
	for _, want := range []hat.Event{{Key: hat.Up, Action: hat.Release}, {Key: hat.Down, Action: hat.Press}} {
		if e, err := s.ReadEvent(); err != nil || e != want {
			t.Errorf("%v, %v, want %v", e, err, want)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	h.Press(hat.Left)
	h.Overflow()
	if _, err := s.ReadEvent(); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New()
		m, s := open(t, h)
		var reports []string
		report := func(err error) { reports = append(reports, err.Error()) }
		var m2 *hat.Matrix
		go func() { m2, _ = h.AwaitMatrix(t.Context(), nil, report) }()
		time.Sleep(time.Hour)
		synctest.Wait()
		if m2 != nil || len(reports) != 1 {
			t.Fatalf("opened %v, reported %q", m2, reports)
		}
		h.UnplugMatrix()
		h.UnplugJoystick()
		h.PlugJoystick() // the matrix retries without a new report
		synctest.Wait()
		if m2 != nil || len(reports) != 2 {
			t.Fatalf("opened %v, reported %q", m2, reports)
		}
		m.Close()
		h.PlugMatrix()
		synctest.Wait()
		if m2 == nil || len(reports) != 2 {
			t.Fatalf("opened %v, reported %q", m2, reports)
		}

		// A failing device is tried again every four seconds, not in a busy loop.
		m2.Close()
		h.FailWrites(-1, syscall.ENODEV)
		frames := len(h.Frames())
		go h.AwaitMatrix(t.Context(), nil, nil)
		time.Sleep(time.Hour)
		if n := len(h.Frames()); n != frames {
			t.Errorf("%d frames", n-frames)
		}
		h.FailWrites(0, nil)
		time.Sleep(10 * time.Second) // without an event
		synctest.Wait()
		if _, err := h.OpenMatrix(nil); !errors.Is(err, hat.ErrBusy) {
			t.Error(err)
		}

		// Closing the device wakes a waiter; the context ends the wait.
		s.Close()
		s2, err := h.AwaitJoystick(t.Context(), nil, nil)
		must(t, err)
		var s3 *hat.Joystick
		go func() { s3, _ = h.AwaitJoystick(t.Context(), nil, nil) }()
		synctest.Wait()
		if s3 != nil {
			t.Fatal("two joysticks are open at once")
		}
		s2.Close()
		synctest.Wait()
		if s3 == nil {
			t.Fatal("not opened after the other one was closed")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := h.AwaitJoystick(ctx, nil, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if _, err := h.AwaitJoystick(t.Context(), &hat.Opts{Rotate: 1}, nil); err == nil {
			t.Error("a rotation by one degree was accepted")
		}
	})
}

// A program can use a real HAT or one in memory: the functions have the same types on every system.
func TestSameAPI(t *testing.T) {
	type matrix interface {
		WriteFrame(*[64]color.RGBA) error
		Refresh() error
		Halt() error
		Close() error
	}
	type joystick interface {
		ReadEvent() (hat.Event, error)
		Close() error
	}
	var (
		_ matrix   = (*hat.Matrix)(nil)
		_ joystick = (*hat.Joystick)(nil)

		_ func(*hat.Opts) (*hat.Matrix, error)                                       = hat.OpenMatrix
		_ func(*hat.Opts) (*hat.Joystick, error)                                     = hat.OpenJoystick
		_ func(context.Context, *hat.Opts, func(error)) (*hat.Matrix, error)         = hat.AwaitMatrix
		_ func(context.Context, *hat.Opts, func(error)) (*hat.Joystick, error)       = hat.AwaitJoystick
		_ func(*HAT, context.Context, *hat.Opts, func(error)) (*hat.Matrix, error)   = (*HAT).AwaitMatrix
		_ func(*HAT, context.Context, *hat.Opts, func(error)) (*hat.Joystick, error) = (*HAT).AwaitJoystick
	)
	if runtime.GOOS == "linux" {
		return
	}
	for _, open := range []func() error{
		func() error { _, err := hat.OpenMatrix(nil); return err },
		func() error { _, err := hat.OpenJoystick(nil); return err },
		func() error { _, err := hat.AwaitMatrix(t.Context(), nil, nil); return err },
		func() error { _, err := hat.AwaitJoystick(t.Context(), nil, nil); return err },
	} {
		if err := open(); !errors.Is(err, hat.ErrNotFound) || !strings.Contains(err.Error(), runtime.GOOS) {
			t.Error(err)
		}
	}
}

// A zero HAT can be plugged in and awaited too.
func TestZeroHAT(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h HAT
		h.UnplugMatrix()
		go func() {
			time.Sleep(time.Second)
			h.PlugMatrix()
		}()
		m, err := h.AwaitMatrix(t.Context(), nil, nil)
		must(t, err)
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A failing bus is closed, so that the next reading opens it again. Close closes it too.
func TestAccelerometerClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBoard()
		b.Tilt(1<<14, 0, 0)
		a := b.I2C().Accelerometer()
		asks := func(handles int) {
			t.Helper()
			if up, err := a.Rotation(); up != 90 || err != nil || b.Handles() != handles {
				t.Errorf("%d, %v, with %d handles", up, err, b.Handles())
			}
		}
		asks(1)
		asks(1)
		b.Unplug()
		if _, err := a.Rotation(); !errors.Is(err, hat.ErrNotFound) || b.Handles() != 0 {
			t.Errorf("%v, with %d handles", err, b.Handles())
		}
		b.Plug()
		asks(1)
		if err := a.Close(); err != nil || b.Handles() != 0 {
			t.Errorf("%v, with %d handles", err, b.Handles())
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		asks(1)
	})
}
