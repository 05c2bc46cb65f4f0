// Package light is how a picture is lit: in which colours, and how brightly. The game
// draws in its own five colours; this is what becomes of them last, on the way to the
// LEDs or to another screen.
package light

import (
	"image/color"
	"math"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/game"
)

// The brightness at which nothing is taken away, and the least.
const (
	Full  = 100
	Least = 1
)

// Look is a palette at a brightness. A nil Look leaves pictures as they are.
type Look struct {
	leds, screen [2][meanings]color.RGBA // full and dimmed
}

// New gives the look of a palette, one of [Palettes], at a brightness from Least to
// Full.
func New(palette string, brightness int) *Look {
	p, ok := palettes[palette]
	if !ok || palette == Classic && brightness >= Full {
		return nil
	}
	var l Look
	for m, c := range p {
		dimmed := c.over(4)
		l.screen[0][m] = onScreen(c)
		l.screen[1][m] = onScreen(dimmed)
		if palette == Classic { // a quarter of the value, of which gamma leaves one step
			dimmed = c.over(31)
		}
		l.leds[0][m] = onLEDs(c.at(brightness, p.most()))
		l.leds[1][m] = onLEDs(dimmed.at(brightness, p.most()))
	}
	return &l
}

// Frame is the view's picture for the LEDs, whose driver has its usual gamma table.
func (l *Look) Frame(v *game.View) game.Frame {
	if l == nil {
		return v.Frame
	}
	return repaint(v, &l.leds)
}

// Screen is the view's picture for a screen that has a brightness of its own.
func (l *Look) Screen(v *game.View) game.Frame {
	if l == nil {
		return v.Frame
	}
	return repaint(v, &l.screen)
}

func repaint(v *game.View, to *[2][meanings]color.RGBA) (f game.Frame) {
	f = v.Frame
	empty := v.BlueIsEmpty()
	for i, c := range f {
		letter := game.Letter(c)
		dimmed := 0
		if letter >= 'a' {
			letter -= 'a' - 'A'
			dimmed = 1
		}
		switch {
		case letter == 'B' && empty:
			f[i] = to[dimmed][emptyCell]
		case letter == 'R':
			f[i] = to[dimmed][red]
		case letter == 'Y':
			f[i] = to[dimmed][yellow]
		case letter == 'B':
			f[i] = to[dimmed][blue]
		case letter == 'G':
			f[i] = to[dimmed][green]
		case letter == 'W':
			f[i] = to[dimmed][white]
		}
	}
	return f
}

// levels are the strengths of a LED's red, green and blue light: 0 to 31, as its board
// counts them, which is as much light in steps of equal size.
type levels [3]int

// over is a part of the light, and never nothing.
func (c levels) over(n int) levels {
	for i, v := range c {
		if v > 0 {
			c[i] = max(1, v/n)
		}
	}
	return c
}

// darkest is what full strength becomes at the least brightness: the fewest steps that
// still leave one for half the strength and one for the dimmed.
const darkest = 3

// at takes light away. Equal steps of brightness look equal: they are equal steps of
// lightness, the cube root of light (CIE 15, L*), from where the strongest light of a
// palette has the darkest steps to where it has all of them.
func (c levels) at(brightness, most int) levels {
	from := math.Cbrt(min(1, float64(darkest)/float64(most)))
	lightness := from + (1-from)*float64(min(max(brightness, Least), Full)-Least)/(Full-Least)
	for i, v := range c {
		if v > 0 {
			c[i] = max(1, int(math.Round(float64(v)*lightness*lightness*lightness)))
		}
	}
	return c
}

// onLEDs is the colour that the driver turns into these levels, or into those next to
// them that it has: it skips a few.
func onLEDs(c levels) color.RGBA {
	return each(c, func(level int) uint8 {
		best := uint8(0)
		for step := range uint8(32) {
			if channel := step << 3; distance(hat.Light(channel), level) < distance(hat.Light(best), level) {
				best = channel
			}
		}
		return best
	})
}

func distance(a, b int) int { return max(a-b, b-a) }

// onScreen is the colour of that much light where values are light.
func onScreen(c levels) color.RGBA {
	return each(c, func(level int) uint8 { return uint8(level << 3) })
}

func each(c levels, channel func(int) uint8) color.RGBA {
	return color.RGBA{R: channel(c[0]), G: channel(c[1]), B: channel(c[2]), A: 255}
}
