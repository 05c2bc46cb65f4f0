package light

import (
	"image/color"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/e2e/standin"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
)

// view is a picture with one colour of each letter.
func view(t *testing.T, letters string, full bool) game.View {
	rules := board.Standard
	if full {
		rules = board.Rules{Columns: 8, Rows: 8, Connect: 4}
	}
	v := gametest.New(t, game.Config{Setup: game.Setup{Rules: rules, Points: 2}}).View()
	v.Frame = game.Frame{}
	for i, letter := range []byte(letters) {
		v.Frame[i] = colourOf(t, letter)
	}
	return v
}

// colourOf finds a letter's colour in the pictures of the game: full ones are made of
// the bits that RGB565 keeps, dimmed ones of a quarter.
func colourOf(t *testing.T, letter byte) color.RGBA {
	t.Helper()
	for _, strong := range []int{248, 62} {
		for channels := range 8 {
			var c color.RGBA
			for i, channel := range []*uint8{&c.R, &c.G, &c.B} {
				if channels>>i&1 != 0 {
					*channel = uint8(strong)
				}
			}
			if c.G != 0 {
				c.G = uint8(strong*252/248 + strong/62%4/4)
			}
			c.A = 255
			if game.Letter(c) == letter {
				return c
			}
		}
	}
	t.Fatalf("no colour has the letter %c", letter)
	return color.RGBA{}
}

// What nobody has asked for changes nothing.
func TestClassicIsAsDrawn(t *testing.T) {
	v := view(t, "RYBGW.rybgw", false)
	if got := New(Classic, Full).Frame(&v); got != v.Frame {
		t.Errorf("%v, want %v", got, v.Frame)
	}
	if got := New(Classic, Full).Screen(&v); got != v.Frame {
		t.Errorf("%v, want %v", got, v.Frame)
	}
}

// More brightness is never less light.
func TestBrightnessGrows(t *testing.T) {
	for _, palette := range Palettes() {
		v := view(t, "RYBGWrybgw", true)
		var before []byte
		for brightness := Least; brightness <= Full; brightness++ {
			lit := standin.Lit(New(palette, brightness).Frame(&v))
			var now []byte
			for i := range 10 {
				r, g, b := lit.At(i%8, i/8)
				now = append(now, r, g, b)
			}
			for i := range before {
				if now[i] < before[i] {
					t.Fatalf("%s at %d: %v, and before %v", palette, brightness, now, before)
				}
			}
			before = now
		}
	}
}

// Night has no blue at all.
func TestNightHasNoBlue(t *testing.T) {
	for _, full := range []bool{false, true} {
		v := view(t, "RYBGW.rybgw", full)
		for i, c := range New(Night, Full).Frame(&v) {
			if c.B != 0 {
				t.Errorf("LED %d: %v", i, c)
			}
		}
	}
}

func TestFrameAllocatesNothing(t *testing.T) {
	v := view(t, "RYBGW.rybgw", false)
	look := New(Night, 50)
	if n := testing.AllocsPerRun(100, func() { _ = look.Frame(&v) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkFrame(b *testing.B) {
	var v game.View
	look := New(Colourblind, 50)
	for b.Loop() {
		_ = look.Frame(&v)
	}
}
