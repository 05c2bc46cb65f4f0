package hattest

import (
	"errors"
	"image/color"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/dev/try"
)

var (
	red     = color.RGBA{R: 248, A: 255}
	yellow  = color.RGBA{R: 248, G: 252, A: 255}
	dimBlue = color.RGBA{B: 64, A: 255}
)

func corner(c color.RGBA) *[64]color.RGBA { return &[64]color.RGBA{0: c} }

func open(t *testing.T, h *HAT) (*hat.Matrix, *hat.Joystick) {
	t.Helper()
	m, err := h.OpenMatrix()
	must(t, err)
	s, err := h.OpenJoystick()
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

	if err := s.Close(); err != nil {
		t.Error(err)
	}
	h.Press(hat.Left)
	if _, err := s.ReadEvent(); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

// A device is open once at a time, and missing while it is unplugged.
func TestOpen(t *testing.T) {
	h := New()
	m, s := open(t, h)
	fails := func(kind error) {
		t.Helper()
		_, matrix := h.OpenMatrix()
		_, joystick := h.OpenJoystick()
		if !errors.Is(matrix, kind) || !errors.Is(joystick, kind) {
			t.Errorf("%v, %v, want %v", matrix, joystick, kind)
		}
	}
	fails(hat.ErrBusy)
	h.UnplugMatrix()
	h.UnplugJoystick()
	if err := m.WriteFrame(corner(red)); !errors.Is(err, hat.ErrGone) {
		t.Error(err)
	}
	if _, err := s.ReadEvent(); !errors.Is(err, hat.ErrGone) {
		t.Error(err)
	}
	fails(hat.ErrNotFound)
	h.PlugMatrix()
	h.PlugJoystick()
	m, s = open(t, h)
	must(t, m.Close())
	must(t, s.Close())
	open(t, h)
}

var must = try.Must
