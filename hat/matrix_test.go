package hat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/c4hat/c4hat/internal/dev/try"
)

// memory is a screen with scripted answers.
type memory struct {
	pixels [128]byte
	writes int
	resets int                         // of the gamma table
	answer func(p []byte) (int, error) // nil: store p
	closed bool
}

func (m *memory) WriteAt(p []byte, off int64) (int, error) {
	m.writes++
	if off != 0 || len(p) != len(m.pixels) {
		return 0, fmt.Errorf("%d bytes at %d", len(p), off)
	}
	if m.answer != nil {
		return m.answer(p)
	}
	return copy(m.pixels[:], p), nil
}

func (m *memory) Close() error {
	m.closed = true
	return nil
}

func (m *memory) ResetGamma() error { m.resets++; return syscall.ENOTTY }

func (m *memory) Name() string { return "/dev/fbX" }

func newMemory(t testing.TB, degrees int) (*Matrix, *memory) {
	t.Helper()
	mem := &memory{}
	m, err := NewMatrix(mem)
	must(t, err)
	must(t, m.Rotate(degrees))
	mem.writes = 0
	return m, mem
}

func filled(c color.RGBA) *[64]color.RGBA {
	var f [64]color.RGBA
	for i := range f {
		f[i] = c
	}
	return &f
}

var red, green = color.RGBA{248, 0, 0, 255}, color.RGBA{0, 252, 0, 255}

// Only what changes the LEDs is written. Refresh and Halt always write; Refresh resets the gamma table too, which
// another program may have set.
func TestWrites(t *testing.T) {
	m, mem := newMemory(t, 0)
	almost := filled(color.RGBA{255, 3, 7, 0}) // red, once packed
	for i, step := range []struct {
		do     func() error
		writes int
		pixel  uint16
	}{
		{func() error { return m.WriteFrame(&[64]color.RGBA{}) }, 0, 0}, // the LEDs are already dark
		{func() error { return m.WriteFrame(filled(red)) }, 1, 0xf800},
		{func() error { return m.WriteFrame(filled(red)) }, 0, 0xf800},
		{func() error { return m.WriteFrame(almost) }, 0, 0xf800},
		{m.Refresh, 1, 0xf800},
		{m.Refresh, 1, 0xf800},
		{func() error { return m.WriteFrame(filled(red)) }, 0, 0xf800},
		{func() error { return m.WriteFrame(filled(green)) }, 1, 0x07e0},
		{m.Halt, 1, 0},
		{m.Halt, 1, 0},
		{m.Refresh, 1, 0},
		{func() error { return m.WriteFrame(filled(green)) }, 1, 0x07e0},
	} {
		mem.writes = 0
		if err := step.do(); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		pixel := binary.NativeEndian.Uint16(mem.pixels[126:])
		if mem.writes != step.writes || pixel != step.pixel {
			t.Errorf("step %d: %d writes, pixel %#04x; want %d, %#04x", i, mem.writes, pixel, step.writes, step.pixel)
		}
	}
	if mem.resets != 1+3 {
		t.Errorf("the gamma table was reset %d times", mem.resets)
	}
}

func TestWriteErrors(t *testing.T) {
	for _, test := range []struct {
		err  error
		gone bool
	}{
		{syscall.ENOSPC, false},
		{syscall.EPERM, false}, // as from a suspended framebuffer
		{syscall.ENODEV, true},
		{syscall.ENXIO, true},
		{&os.PathError{Op: "write", Path: "x", Err: syscall.EIO}, true},
	} {
		m, mem := newMemory(t, 0)
		must(t, m.WriteFrame(filled(red)))
		mem.answer = func([]byte) (int, error) { return 64, test.err }
		for _, do := range []func() error{
			func() error { return m.WriteFrame(filled(green)) },
			func() error { return m.WriteFrame(filled(green)) }, // written again: after the error, the LEDs may show anything
			func() error { return m.WriteFrame(filled(red)) },   // written although it equals the last successful frame
			m.Refresh,
		} {
			mem.writes = 0
			err := do()
			if mem.writes != 1 || !errors.Is(err, test.err) || errors.Is(err, ErrGone) != test.gone {
				t.Fatalf("%v: %d writes, err %v", test.err, mem.writes, err)
			}
			if s := err.Error(); !strings.HasPrefix(s, "hat: ") || !strings.Contains(s, "/dev/fbX") || strings.Contains(s, "\n") {
				t.Errorf("not one line with our prefix: %q", s)
			}
		}
		mem.answer, mem.writes = nil, 0
		for range 2 { // the second writes nothing
			if err := m.WriteFrame(filled(red)); err != nil || mem.writes != 1 || mem.pixels[1] == 0 {
				t.Errorf("after %v: %v, %d writes, %x", test.err, err, mem.writes, mem.pixels)
			}
		}
	}
}

func TestMatrixClose(t *testing.T) {
	m, mem := newMemory(t, 0)
	must(t, m.WriteFrame(filled(red)))
	if err := m.Close(); err != nil || !mem.closed || mem.pixels != [128]byte{} {
		t.Errorf("err %v, closed %t, %x", err, mem.closed, mem.pixels)
	}
	mem.writes = 0
	for _, err := range []error{m.WriteFrame(filled(red)), m.Refresh(), m.Halt(), m.Close()} {
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
	if mem.writes != 0 {
		t.Errorf("%d writes after Close", mem.writes)
	}

	// A device that is gone may never return from its close.
	m, err := NewMatrix(&stuck{})
	must(t, err)
	if err := m.Close(); !errors.Is(err, ErrGone) {
		t.Errorf("a disconnected device: %v", err)
	}
}

// stuck is a screen that is gone after the first write, and whose close never returns.
type stuck struct{ writes int }

func (s *stuck) WriteAt(p []byte, _ int64) (int, error) {
	if s.writes++; s.writes > 1 {
		return 0, syscall.ENODEV
	}
	return len(p), nil
}

func (*stuck) Close() error { select {} }

// Draw does what package image/draw does on an image, whatever overlaps, and writes nothing if that changes nothing.
func TestMatrixDraw(t *testing.T) {
	src := image.NewNRGBA(image.Rect(10, 10, 20, 20)) // it does not start at (0, 0)
	for i := range src.Pix {
		src.Pix[i] = byte(i * 7)
	}
	m, mem := newMemory(t, 90)
	canvas := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for range 100 {
		at := image.Pt(rand.IntN(12)-3, rand.IntN(12)-3)
		r, from := image.Rectangle{at, at.Add(image.Pt(rand.IntN(8), rand.IntN(8)))}, image.Pt(8+rand.IntN(10), 8+rand.IntN(10))
		draw.Draw(canvas, r, src, from, draw.Src)
		for range 2 {
			before, same := mem.pixels, mem.writes
			must(t, m.Draw(r, src, from))
			for i, c := range m.frame {
				if c != canvas.RGBAAt(i%8, i/8) {
					t.Fatalf("%v from %v: pixel %d is %v", r, from, i, c)
				}
			}
			if mem.pixels == before && mem.writes != same {
				t.Error("the same was written again")
			}
		}
	}
	if m.Bounds() != canvas.Bounds() || m.ColorModel() != canvas.ColorModel() || m.String() != "Sense HAT matrix /dev/fbX" {
		t.Error(m, m.Bounds(), m.ColorModel())
	}
}

// The picture is an arrow that points up. At every rotation, whether from the start or set later, pushing
// the joystick towards the arrow's tip on the LEDs is Up, and the other three directions follow.
func TestRotation(t *testing.T) {
	arrow := [64]color.RGBA{3: green, 11: red, 19: red, 27: red} // the tip is at (3, 0)
	// For each rotation, where the device's LEDs show the tip and the shaft's end.
	points := map[int][2]int{0: {3, 27}, 90: {31, 28}, 180: {60, 36}, 270: {32, 35}}
	codes := []uint16{103, 106, 108, 105} // of the device's directions, clockwise
	later, laterMem := newMemory(t, 0)
	must(t, later.WriteFrame(&arrow))
	for rotate, at := range points {
		m, mem := newMemory(t, rotate)
		must(t, m.WriteFrame(&arrow))
		must(t, later.Rotate(rotate))
		for _, pixels := range [][128]byte{mem.pixels, laterMem.pixels} {
			tip, end := binary.NativeEndian.Uint16(pixels[2*at[0]:]), binary.NativeEndian.Uint16(pixels[2*at[1]:])
			if tip != 0x07e0 || end != 0xf800 {
				t.Errorf("rotated by %d: %04x and %04x in %x", rotate, tip, end, pixels)
			}
		}
		for i, want := range []Key{Up, Right, Down, Left, Middle} {
			code := uint16(28)
			if want != Middle {
				code = codes[(rotate/90+i)%4]
			}
			if got := read(t, rotate, record(evKey, code, 1)); !slices.Equal(got, []Event{{want, Press}}) {
				t.Errorf("rotated by %d: %v, want %v", rotate, got, want)
			}
		}
	}
	if later.Rotate(45) == nil || later.Rotate(-90) == nil || joystickOf(t, 0, &answers{}).Rotate(100) == nil {
		t.Error("45 or 100 degrees: no error")
	}
}

func TestWriteFrameAllocs(t *testing.T) {
	m, mem := newMemory(t, 90)
	frame := randomFrame(rand.New(rand.NewPCG(3, 4)))
	n := testing.AllocsPerRun(100, func() {
		frame[7].R += 8
		must(t, m.WriteFrame(&frame))
		must(t, m.WriteFrame(&frame))
		must(t, m.Refresh())
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
	if mem.writes != 2*101 {
		t.Errorf("%d writes", mem.writes)
	}
}

func randomFrame(r *rand.Rand) (f [64]color.RGBA) {
	for i := range f {
		f[i] = color.RGBA{uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32())}
	}
	return f
}

// Rotate renames the keys from the next press on.
func TestRotateJoystick(t *testing.T) {
	r, w := io.Pipe()
	s := NewJoystick(r)
	const up, right = 103, 106
	for _, step := range []struct {
		code  uint16
		value int32
		want  Event
	}{
		{up, 1, Event{Up, Press}}, {right, 1, Event{Up, Press}}, {right, 2, Event{Up, Hold}},
		{up, 0, Event{Up, Release}}, {right, 0, Event{Up, Release}},
	} {
		go func() { _, _ = w.Write(record(evKey, step.code, step.value)) }()
		if got, err := s.ReadEvent(); got != step.want || err != nil {
			t.Errorf("%v, %v, want %v", got, err, step.want)
		}
		must(t, s.Rotate(90))
	}
}

var must = try.Must
