package hatpanel

import (
	"cmp"
	"image/color"
	"maps"
	"math"
	"slices"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/game"
)

// The highest and the lowest brightness.
const (
	Full  = 100
	Least = 1
)

// Brightness returns the brightness for the light in a room, as [hat.I2C] measures it: the lowest for about
// a lux, the highest for 300. As eyes do, it follows ratios of light.
func Brightness(room float64) int {
	const dim, bright = 0.05, 15
	share := math.Log(max(room, dim)/dim) / math.Log(bright/dim)
	return Least + int(math.Round(min(share, 1)*(Full-Least)))
}

// Frame has the colours of the 8×8 LEDs, row by row from the top left corner.
type Frame = [64]color.RGBA

// Colours are those of a palette at a brightness. Nil Colours are [Classic] at [Full].
type Colours struct {
	leds, screen table
	share        float64 // of the light of a picture
}

// table has the colour of every meaning.
type table [game.LEDs]color.RGBA

var classic = NewColours(Classic, Full)

// NewColours returns the colours of a palette, one of [Palettes], at a brightness from Least to Full.
func NewColours(palette string, brightness int) *Colours {
	p := palettes[palette]
	c := &Colours{share: share(brightness, steps)}
	for i, l := range p {
		led, lit := game.LED(i), l.times(share(brightness, p.most()))
		dim := lit.times(1.0 / 4)
		if led == game.LEDEmpty { // a dimmed board is the background of the discs on it
			dim = lit.times(1.0 / 16)
		}
		c.leds[led], c.leds[led.Dimmed()] = lit.onLEDs(), dim.onLEDs()
		c.screen[led], c.screen[led.Dimmed()] = l.linear(), l.times(1.0/4).linear()
	}
	return c
}

// Frame returns the colours for the LEDs, if their driver has its default gamma table.
func (c *Colours) Frame(f *game.Frame) Frame { return cmp.Or(c, classic).leds.paint(f) }

// Picture returns the colours for the LEDs of a picture in linear values, as Screen returns them.
func (c *Colours) Picture(f *Frame) (painted Frame) {
	for i, v := range f {
		painted[i] = levels{int(v.R >> 3), int(v.G >> 3), int(v.B >> 3)}.times(cmp.Or(c, classic).share).onLEDs()
	}
	return painted
}

// Screen returns the colours for a screen at full brightness, because screens have a brightness
// setting themselves. Values are linear: twice the value is twice the light.
func (c *Colours) Screen(f *game.Frame) Frame { return cmp.Or(c, classic).screen.paint(f) }

func (t *table) paint(f *game.Frame) (painted Frame) {
	for i, led := range f {
		painted[i] = t[led]
	}
	return painted
}

// Pixel returns the values of a screen's pixel for a LED. They are corrected for the gamma curve of
// screens, because dimmed colours would otherwise be almost black. lit is false for a dark LED.
func (c *Colours) Pixel(led game.LED) (r, g, b uint8, lit bool) {
	curved := func(v uint8) uint8 { return uint8(math.Round(255 * math.Pow(float64(v)/255, 1/2.2))) }
	v := cmp.Or(c, classic).screen[led]
	return curved(v.R), curved(v.G), curved(v.B), v.R|v.G|v.B != 0
}

// Plate returns the values of a screen's pixel for the front plate of the board, which surrounds the cells and which
// the LEDs do not show. The plate has the colour of an empty cell, mixed with some plain light. If empty cells are
// dark, empty is [game.LEDDark], and the plate has a quarter of the values of plain light.
func (c *Colours) Plate(empty game.LED) (r, g, b uint8) {
	r, g, b, _ = c.Pixel(game.LEDPlain)
	er, eg, eb, lit := c.Pixel(empty)
	if !lit {
		return r / 4, g / 4, b / 4
	}
	mix := func(empty, plain uint8) uint8 { return uint8((int(empty)*6 + int(plain)*2) / 10) }
	return mix(er, r), mix(eg, g), mix(eb, b)
}

// levels are the red, green and blue light of a LED in equal steps from 0 to 31, the steps of [hat.Brightness].
type levels [3]int

const steps = 31

// times multiplies the light by a share, but turns off no channel.
func (c levels) times(share float64) levels {
	for i, v := range c {
		if v > 0 {
			c[i] = max(1, int(math.Round(float64(v)*share)))
		}
	}
	return c
}

// darkest is the level that the strongest light has at the lowest brightness. With fewer than three
// steps, light of full strength, light of half strength and dimmed light would not all differ.
const darkest = 3

// share returns the share of the light at a brightness. Equal steps of brightness look equal, because they
// are equal steps of lightness, the cube root of light (CIE 15, L*). The strongest light, most, becomes
// darkest at Least and is unchanged at Full.
func share(brightness, most int) float64 {
	from := math.Cbrt(min(1, float64(darkest)/float64(most)))
	lightness := from + (1-from)*float64(min(max(brightness, Least), Full)-Least)/(Full-Least)
	return lightness * lightness * lightness
}

// onLEDs returns the colour that the driver turns into these levels or, because the driver's gamma
// table skips some levels, into the nearest ones.
func (c levels) onLEDs() color.RGBA {
	return c.colour(func(level int) (best uint8) {
		distance := func(channel uint8) int { return max(hat.Brightness(channel)-level, level-hat.Brightness(channel)) }
		for step := range uint8(steps + 1) {
			if distance(step<<3) < distance(best) {
				best = step << 3
			}
		}
		return best
	})
}

// linear returns the colour of these levels in linear values.
func (c levels) linear() color.RGBA {
	return c.colour(func(level int) uint8 { return uint8(level << 3) })
}

// colour returns the colour with these channels. RGB565 has one more bit of green.
func (c levels) colour(channel func(level int) uint8) color.RGBA {
	green := channel(c[1])
	return color.RGBA{R: channel(c[0]), G: green | green>>1&4, B: channel(c[2]), A: 255}
}

// The palettes.
const (
	Classic     = "classic"
	Colourblind = "colourblind"
	Night       = "night"
)

// palette has the light of each meaning. Meanings without an entry are dark.
type palette [game.LEDPlain + 1]levels

// most returns the strongest light of a palette.
func (p *palette) most() (most int) {
	for _, c := range p {
		most = max(most, slices.Max(c[:]))
	}
	return most
}

var palettes = map[string]*palette{
	Classic: {
		game.LEDRed: {31, 0, 0}, game.LEDYellow: {31, 31, 0}, game.LEDBlue: {0, 0, 31}, game.LEDEmpty: {0, 0, 31},
		game.LEDWins: {0, 31, 0}, game.LEDDraws: {31, 31, 31}, game.LEDPlain: {31, 31, 31},
	},
	// Found by a search for the largest of the smallest differences between any two meanings, dimmed or
	// not, for people who lack one kind of cone (see the test), among colours that most people call by
	// the names of Classic's, except for a lavender white. The players differ in luminance too.
	Colourblind: {
		game.LEDRed: {31, 0, 0}, game.LEDYellow: {27, 24, 8}, game.LEDBlue: {14, 26, 31}, game.LEDEmpty: {0, 0, 29},
		game.LEDWins: {4, 21, 0}, game.LEDDraws: {17, 11, 31}, game.LEDPlain: {17, 11, 31},
	},
	// A third of the light of Classic, and dark empty cells. There is no blue, because blue light keeps people awake.
	Night: {
		game.LEDRed: {10, 0, 0}, game.LEDYellow: {10, 10, 0}, game.LEDBlue: {10, 10, 0},
		game.LEDWins: {0, 10, 0}, game.LEDDraws: {10, 5, 0}, game.LEDPlain: {10, 5, 0},
	},
}

// Palettes returns the names of the palettes, sorted.
func Palettes() []string { return slices.Sorted(maps.Keys(palettes)) }
