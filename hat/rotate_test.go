package hat

import (
	"image/color"
	"io"
	"testing"
)

// Rotate turns the picture that is shown at once, and all later pictures.
func TestRotateMatrix(t *testing.T) {
	m, mem := newMemory(t, nil)
	frame := [64]color.RGBA{3: red}
	if err := m.WriteFrame(&frame); err != nil {
		t.Fatal(err)
	}
	for _, degrees := range []int{90, 270, 180, 0} {
		want, wantMem := newMemory(t, &Opts{Rotate: degrees})
		if err := want.WriteFrame(&frame); err != nil {
			t.Fatal(err)
		}
		if err := m.Rotate(degrees); err != nil {
			t.Fatal(err)
		}
		if mem.pixels != wantMem.pixels {
			t.Errorf("%d: the picture on the LEDs is not turned", degrees)
		}
		frame[5].B += 48
		if err := m.WriteFrame(&frame); err != nil {
			t.Fatal(err)
		}
		if err := want.WriteFrame(&frame); err != nil {
			t.Fatal(err)
		}
		if mem.pixels != wantMem.pixels {
			t.Errorf("%d: the next picture is not turned", degrees)
		}
	}
	if err := m.Rotate(45); err == nil {
		t.Error("45 degrees: no error")
	}
}

// Rotate releases held keys under their old names; later presses have the new ones.
func TestRotateJoystick(t *testing.T) {
	r, w := io.Pipe()
	s, err := NewJoystick(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	press := func(code uint16, value int32, want ...Event) {
		t.Helper()
		go func() { _, _ = w.Write(record(evKey, code, value)) }()
		for _, e := range want {
			if got, err := s.ReadEvent(); got != e || err != nil {
				t.Errorf("%v, %v, want %v", got, err, e)
			}
		}
	}
	const up, right = 103, 106
	press(up, 1, Event{Up, Press})
	if err := s.Rotate(90); err != nil {
		t.Fatal(err)
	}
	press(right, 1, Event{Up, Release}, Event{Up, Press})
	press(right, 2, Event{Up, Hold})
	press(right, 0, Event{Up, Release})
	if err := s.Rotate(100); err == nil {
		t.Error("100 degrees: no error")
	}
}
