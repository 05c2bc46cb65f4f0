package light

import (
	"maps"
	"slices"

	"github.com/c4hat/c4hat/internal/game"
)

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
	// A third of the light of Classic, and dark empty cells. There is no blue, because blue light
	// keeps people awake.
	Night: {
		game.LEDRed: {10, 0, 0}, game.LEDYellow: {10, 10, 0}, game.LEDBlue: {10, 10, 0},
		game.LEDWins: {0, 10, 0}, game.LEDDraws: {10, 5, 0}, game.LEDPlain: {10, 5, 0},
	},
}

// Palettes returns the names of the palettes, sorted.
func Palettes() []string { return slices.Sorted(maps.Keys(palettes)) }
