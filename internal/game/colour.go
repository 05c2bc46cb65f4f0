package game

import "image/color"

// Frame is the picture on the 8×8 LEDs, row by row from the top left corner: the
// LED at (x, y) is Frame[8*y+x].
type Frame = [64]color.RGBA

// The colours at full strength, as RGB565 keeps them: 5, 6 and 5 bits.
var (
	dark   = color.RGBA{0, 0, 0, 255}
	red    = color.RGBA{248, 0, 0, 255}
	yellow = color.RGBA{248, 252, 0, 255}
	blue   = color.RGBA{0, 0, 248, 255}
	green  = color.RGBA{0, 252, 0, 255}
	white  = color.RGBA{248, 252, 248, 255}
)

// ledFloor is the weakest light there is: the driver's usual gamma table turns
// the first 6 of its 32 steps off (rpisense-fb.c, gamma_default).
const ledFloor = 48

// dim is a quarter of the light, never so little that the LED goes out.
func dim(c color.RGBA) color.RGBA {
	return color.RGBA{dimChannel(c.R), dimChannel(c.G), dimChannel(c.B), c.A}
}

func dimChannel(v uint8) uint8 {
	if v == 0 {
		return 0
	}
	return max(v/4, ledFloor)
}

// paint is the colour that a letter of a picture stands for.
func paint(letter byte) color.RGBA {
	switch letter {
	case 'R':
		return red
	case 'Y':
		return yellow
	case 'B':
		return blue
	case 'G':
		return green
	case 'W':
		return white
	}
	return dark
}

// Letter is a colour of a frame as a letter: R, Y, B, G or W, small where it is
// dimmed, and '.' for a dark LED.
func Letter(c color.RGBA) byte {
	if c == dark {
		return '.'
	}
	for _, letter := range []byte("RYBGW") {
		switch c {
		case paint(letter):
			return letter
		case dim(paint(letter)):
			return letter + 'a' - 'A'
		}
	}
	return '?'
}
