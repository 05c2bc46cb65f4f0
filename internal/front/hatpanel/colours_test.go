package hatpanel

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"github.com/c4hat/c4hat/internal/dev/golden"
	"github.com/c4hat/c4hat/internal/game"
)

// frame returns a frame with the meanings of letters, see [game.LED.Letter].
func frame(t *testing.T, letters string) (f game.Frame) {
	t.Helper()
	for i, letter := range []byte(letters) {
		led, ok := game.ParseLED(letter)
		if !ok {
			t.Fatalf("no LED has the letter %c", letter)
		}
		f[i] = led
	}
	return f
}

// together has, for each kind of board, without and with a hint, what one picture can show, see [game.LED.Letter]: the players' discs
// and cursors, the columns of a hint (W wins, D draws, . loses, l is unknown), the score, and a dimmed board. On
// high boards the columns of a hint are among the discs.
var together = []string{"RYOWD.ryo", "RBWD.rb", "WD.lRYO", "WD.lRB"}

// lights returns the light of LEDs with these letters, after the driver's gamma, relative to the strongest.
func lights(t *testing.T, palette string, brightness int, letters string) (light []rgb) {
	t.Helper()
	f := frame(t, letters)
	lit := standin.Lit(NewColours(palette, brightness).Frame(&f))
	most := 0.0
	for i := range len(letters) {
		r, g, b := lit.At(i%8, i/8)
		light = append(light, rgb{float64(r), float64(g), float64(b)})
		most = max(most, float64(r), float64(g), float64(b))
	}
	for i := range light {
		for j := range light[i] {
			light[i][j] /= most
		}
	}
	return light
}

// everyLook calls f for every palette and brightness.
func everyLook(f func(palette string, brightness int)) {
	for _, palette := range Palettes() {
		for brightness := Least; brightness <= Full; brightness++ {
			f(palette, brightness)
		}
	}
}

// At every brightness, the driver's gamma table turns no meaning dark, and no two meanings look alike to people
// with normal vision. In the palette for the colour-blind, no two meanings look alike to anybody, and the players'
// discs differ in luminance too. A point of the score has a fifth to a half of the light of a disc: enough to be
// seen beside the board, and not enough to be taken for a part of it. A higher brightness never gives less light,
// and night has no blue.
func TestContrast(t *testing.T) {
	const least = 10 // clearly visible; about 2 is just visible side by side
	reported := map[string]bool{}
	f := frame(t, "ROYBWDL.royb")
	var before standin.LEDs
	everyLook(func(palette string, brightness int) {
		for _, letters := range together {
			if palettes[palette][game.LEDEmpty] == (levels{}) {
				letters = strings.NewReplacer("O", "", "o", "").Replace(letters)
			}
			light := lights(t, palette, brightness, letters)
			for i := range light {
				if letters[i] != '.' && light[i] == (rgb{}) {
					t.Errorf("%s at %d: %c is dark", palette, brightness, letters[i])
				}
				for j := range i {
					for _, eye := range visions {
						apart := difference(light[i].seenBy(eye), light[j].seenBy(eye))
						pair := fmt.Sprintf("%s, %s: %c and %c", palette, eye.name, letters[j], letters[i])
						if apart < least && (palette == Colourblind || eye.name == "usual") && !reported[pair] {
							reported[pair] = true
							t.Errorf("%s are %.1f apart at brightness %d and perhaps at others, want %d: see doc/adding.md", pair, apart, brightness, least)
						}
					}
				}
			}
		}
		for _, letters := range []string{"RrYy", "RrBb"} {
			light := lights(t, palette, brightness, letters)
			for i := 0; i < 4; i += 2 {
				if share := light[i+1].luminance() / light[i].luminance(); share < 0.2 || share > 0.5 {
					t.Errorf("%s at %d: the point of the disc %c has %.2f of its light; want 0.2 to 0.5", palette, brightness, letters[i], share)
				}
			}
			for _, eye := range visions {
				one, other := light[0].seenBy(eye).luminance(), light[2].seenBy(eye).luminance()
				if ratio := max(one, other) / min(one, other); palette == Colourblind && ratio < 2 {
					t.Errorf("%s at %d, %s: 1:%.1f", letters, brightness, eye.name, ratio)
				}
			}
		}
		now := standin.Lit(NewColours(palette, brightness).Frame(&f))
		for i, v := range registers(now) {
			if brightness > Least && v < registers(before)[i] || palette == Night && i/8%3 == 2 && v > 0 {
				t.Fatalf("%s at %d: %v, and before %v", palette, brightness, now, before)
			}
		}
		before = now
	})
}

// What the palettes look like: how bright an LED is at some brightnesses, and then each meaning's value for the
// LEDs at two brightnesses, and for a screen.
func TestLooks(t *testing.T) {
	var looks strings.Builder
	for _, brightness := range []int{1, 10, 25, 50, 75, 100} {
		fmt.Fprintf(&looks, "brightness %d: %d of 31 steps\n", brightness, levels{31}.times(share(brightness, 31))[0])
	}
	for _, name := range Palettes() {
		fmt.Fprintf(&looks, "\n%s:\n", name)
		const letters = "RYBOWDL.ryo"
		f := frame(t, letters)
		full, half := NewColours(name, Full).Frame(&f), NewColours(name, 50).Frame(&f)
		for i, led := range f[:len(letters)] {
			r, g, b, lit := NewColours(name, 50).Pixel(led)
			fmt.Fprintf(&looks, "  %c %02x %02x %02x;", letters[i], full[i].R, full[i].G, full[i].B)
			fmt.Fprintf(&looks, " %02x %02x %02x; screen %02x %02x %02x %v\n", half[i].R, half[i].G, half[i].B, r, g, b, lit)
		}
	}
	golden.Check(t, "testdata/looks.golden", looks.String())
	f := frame(t, "RYBOWDL.ryo")
	if unset := (*Colours)(nil); unset.Frame(&f) != NewColours(Classic, Full).Frame(&f) || unset.Screen(&f) != NewColours(Classic, Full).Screen(&f) {
		t.Error("nil colours are others")
	}
}

// On a screen, the plate looks different from discs and holes in every palette, dimmed or not. In
// the palette for the colour-blind, it also looks different to people who lack one kind of cone.
func TestPlate(t *testing.T) {
	linear := func(r, g, b uint8) rgb {
		v := rgb{float64(r) / 255, float64(g) / 255, float64(b) / 255}
		for i := range v {
			v[i] = math.Pow(v[i], 2.2)
		}
		return v
	}
	for _, palette := range Palettes() {
		look := NewColours(palette, Full)
		for dimmed, shade := range []func(game.LED) game.LED{func(led game.LED) game.LED { return led }, game.LED.Dimmed} {
			for empty, second := range map[game.LED]game.LED{game.LEDEmpty: game.LEDYellow, game.LEDDark: game.LEDBlue} {
				plate := linear(look.Plate(shade(empty)))
				for _, led := range []game.LED{game.LEDDark, game.LEDRed, second} {
					r, g, b, _ := look.Pixel(shade(led))
					for _, eye := range visions {
						d := difference(plate.seenBy(eye), linear(r, g, b).seenBy(eye))
						if d < 10 && (palette == Colourblind || eye.name == "usual") {
							t.Errorf("%s, dimmed %v, %s: the plate and %c are %.1f apart", palette, dimmed, eye.name, led.Letter(), d)
						}
					}
				}
			}
		}
	}
}

// The brightness for a room goes from the lowest to the highest with the ratio of light.
func TestBrightness(t *testing.T) {
	for room, want := range map[float64]int{-1: Least, 0: Least, 0.05: Least, 0.2: 25, 0.87: 51, 4: 77, 15: Full, 1e9: Full} {
		if got := Brightness(room); got != want {
			t.Errorf("%v: %d, want %d", room, got, want)
		}
	}
}

// rgb is light from 0 to 1, relative to the strongest light in the picture.
type rgb [3]float64

// vision is a kind of colour vision.
type vision struct {
	name   string
	matrix [3][3]float64
}

// visions are normal colour vision and the three kinds that lack one kind of cone. The matrices are
// those for severity 1.0 of Machado, Oliveira and Fernandes, A Physiologically-based Model for
// Simulation of Color Vision Deficiency, IEEE Transactions on Visualization and Computer Graphics
// 15 (2009), for linear light.
var visions = [4]vision{
	{"usual", [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
	{"protan", [3][3]float64{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
	{"deutan", [3][3]float64{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
	{"tritan", [3][3]float64{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
}

func (c rgb) seenBy(v vision) (seen rgb) {
	for i, row := range v.matrix {
		for j, v := range row {
			seen[i] += v * c[j]
		}
		seen[i] = max(0, seen[i])
	}
	return seen
}

// luminance returns the Y of CIE 1931 for the primaries of sRGB (IEC 61966-2-1), which stand
// in for those of the LEDs.
func (c rgb) luminance() float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// difference returns ΔE of CIE 1976: about 2 is just visible side by side.
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
