package light

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/e2e/standin"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
)

// rgb is light, 0 to 1 of the strongest that is shown with it.
type rgb [3]float64

// eyes are how colours are seen, by most people and by those who lack one kind of cone.
// The matrices are those for severity 1.0 of Machado, Oliveira and Fernandes, A
// Physiologically-based Model for Simulation of Color Vision Deficiency, IEEE
// Transactions on Visualization and Computer Graphics 15 (2009), for linear light.
var eyes = map[string][3][3]float64{
	"usual":        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func (c rgb) seenBy(eye [3][3]float64) (seen rgb) {
	for i, row := range eye {
		for j, v := range row {
			seen[i] += v * c[j]
		}
		seen[i] = max(0, seen[i])
	}
	return seen
}

// luminance is the Y of CIE 1931 for the primaries of sRGB (IEC 61966-2-1), which stand
// here for those of the LEDs.
func (c rgb) luminance() float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// difference is ΔE of CIE 1976: about 2 can just be told apart side by side.
func difference(a, b rgb) float64 {
	p, q := a.lab(), b.lab()
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}

func (c rgb) lab() [3]float64 {
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.9505)
	y := f(c.luminance())
	z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// What can stand side by side in a picture: letters as a frame has them. e is an empty
// cell that is dimmed.
var together = map[bool]string{
	false: "RYBGW.ryb", // the standard screen, where blue is an empty cell
	true:  "RBGW.rb",   // the full matrix
}

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

// leds is the light of the frame's first LEDs, of the strongest there is.
func leds(f game.Frame, n int) (light []rgb) {
	lit := standin.Lit(f)
	most := 0.0
	for i := range n {
		r, g, b := lit.At(i%8, i/8)
		light = append(light, rgb{float64(r), float64(g), float64(b)})
		most = max(most, light[i][0], light[i][1], light[i][2])
	}
	for i := range light {
		for j := range light[i] {
			light[i][j] /= most
		}
	}
	return light
}

// Nothing that is lit goes out in the driver's gamma table, no two meanings look alike,
// and the players of the palette for the colour-blind differ in luminance whatever is
// lacking. -v prints the tables.
func TestContrast(t *testing.T) {
	for _, palette := range Palettes() {
		for _, brightness := range []int{1, 10, 50, 100} {
			look := New(palette, brightness)
			for eye, matrix := range eyes {
				if palette != Colourblind && eye != "usual" {
					continue
				}
				for full, letters := range together {
					if palette == Night && !full { // its empty cells are dark
						letters = strings.NewReplacer("B", "", "b", "").Replace(letters)
					}
					v := view(t, letters, full)
					light := leds(look.Frame(&v), len(letters))
					least, pair := math.Inf(1), ""
					for i, a := range light {
						if letters[i] != '.' && a == (rgb{}) {
							t.Errorf("%s at %d: %c is dark", palette, brightness, letters[i])
						}
						for j, b := range light[:i] {
							if d := difference(a.seenBy(matrix), b.seenBy(matrix)); d < least {
								least, pair = d, fmt.Sprintf("%c %c", letters[j], letters[i])
							}
						}
					}
					second := strings.IndexByte(letters, 'Y')
					if full {
						second = strings.IndexByte(letters, 'B')
					}
					one, other := light[0].seenBy(matrix).luminance(), light[second].seenBy(matrix).luminance()
					ratio := max(one, other) / min(one, other)
					t.Logf("%-11s %3d  %-12s 8x8 %-5v  least difference %5.1f (%s), players' luminance 1:%.1f", palette, brightness, eye, full, least, pair, ratio)
					if least < 10 {
						t.Errorf("%s at %d, %s: %s are %.1f apart", palette, brightness, eye, pair, least)
					}
					if palette == Colourblind && ratio < 2 {
						t.Errorf("%s at %d, %s: the players' luminances are 1:%.1f", palette, brightness, eye, ratio)
					}
				}
			}
		}
	}
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
