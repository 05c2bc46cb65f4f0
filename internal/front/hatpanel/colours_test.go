package hatpanel

import (
	"image/color"
	"math"
	"slices"
	"testing"

	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
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

const everything = "ROYBWDL.royb"

// At full brightness, the classic palette has colours that the driver keeps unchanged. Nil colours
// are the same.
func TestClassicAtFull(t *testing.T) {
	f := frame(t, "RYBOWDL.ryo")
	want := []color.RGBA{
		{248, 0, 0, 255}, {248, 252, 0, 255}, {0, 0, 248, 255}, {0, 0, 248, 255},
		{0, 252, 0, 255}, {248, 252, 248, 255}, {248, 252, 248, 255}, {0, 0, 0, 255},
		{128, 0, 0, 255}, {128, 128, 0, 255}, {0, 0, 64, 255},
	}
	leds := NewColours(Classic, Full).Frame(&f)
	if got := leds[:len(want)]; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if unset := (*Colours)(nil); unset.Frame(&f) != leds || unset.Screen(&f) != NewColours(Classic, Full).Screen(&f) {
		t.Error("nil colours are others")
	}
}

// A higher brightness never gives less light, and night has no blue.
func TestBrightnessGrows(t *testing.T) {
	f := frame(t, everything)
	var before standin.LEDs
	everyLook(func(palette string, brightness int) {
		now := standin.Lit(NewColours(palette, brightness).Frame(&f))
		for row := range now {
			for channel := range now[row] {
				for col, v := range now[row][channel] {
					if brightness > Least && v < before[row][channel][col] || palette == Night && channel == 2 && v > 0 {
						t.Fatalf("%s at %d: %v, and before %v", palette, brightness, now, before)
					}
				}
			}
		}
		before = now
	})
}

func TestFrameAllocatesNothing(t *testing.T) {
	f := frame(t, everything)
	look := NewColours(Night, 50)
	if n := testing.AllocsPerRun(100, func() { _ = look.Frame(&f) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkFrame(b *testing.B) {
	var f game.Frame
	look := NewColours(Colourblind, 50)
	for b.Loop() {
		_ = look.Frame(&f)
	}
}

// Dimmed colours are easy to see on a screen.
func TestPixel(t *testing.T) {
	full, _, _, lit := NewColours(Classic, Full).Pixel(game.LEDRed)
	quarter, green, _, _ := NewColours(Classic, Full).Pixel(game.LEDRed.Dimmed())
	if !lit || full < 250 || quarter < 110 || quarter > 150 || green != 0 {
		t.Errorf("full light is %d, a quarter of it %d, with %d of green", full, quarter, green)
	}
	if _, _, _, lit := NewColours(Night, Full).Pixel(game.LEDEmpty); lit {
		t.Error("an empty cell is lit at night")
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
