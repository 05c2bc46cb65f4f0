package light

import (
	"maps"
	"slices"
)

// What a colour of the game means. Blue means two things: the second player on the full
// matrix, and an empty cell elsewhere.
const (
	red    = iota // the first player
	yellow        // the second
	blue          // the second, on the full matrix
	emptyCell
	green // a column that wins
	white // one that draws; lines of pictures
	meanings
)

// The palettes.
const (
	Classic     = "classic"
	Colourblind = "colourblind"
	Night       = "night"
)

type palette [meanings]levels

// most is the strongest light of a palette.
func (p *palette) most() (most int) {
	for _, c := range p {
		most = max(most, slices.Max(c[:]))
	}
	return most
}

var palettes = map[string]*palette{
	Classic: {
		red: {31, 0, 0}, yellow: {31, 31, 0}, blue: {0, 0, 31}, emptyCell: {0, 0, 31},
		green: {0, 31, 0}, white: {31, 31, 31},
	},
	// Found by search, for the greatest least difference between any two meanings, dimmed
	// or not, to people who lack one kind of cone, among colours that most people still
	// call what the game does; see the test. White, which nobody calls anything, is
	// lavender. The players differ in luminance too, whatever is lacking.
	Colourblind: {
		red: {31, 0, 0}, yellow: {27, 24, 8}, blue: {14, 26, 31}, emptyCell: {0, 0, 29},
		green: {4, 21, 0}, white: {17, 11, 31},
	},
	// A third of the light, nothing blue, which keeps people awake, and empty cells dark.
	Night: {
		red: {10, 0, 0}, yellow: {10, 10, 0}, blue: {10, 10, 0},
		green: {0, 10, 0}, white: {10, 5, 0},
	},
}

// Palettes are the names, in order.
func Palettes() []string { return slices.Sorted(maps.Keys(palettes)) }
