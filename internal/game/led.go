package game

import "strings"

// Frame is the picture on the 8×8 LEDs, row by row from the top left corner: the
// LED at (x, y) is Frame[8*y+x]. It says what the LEDs mean; internal/light gives
// them colours.
type Frame [64]LED

// LED is the meaning of one LED's light. Each meaning also exists dimmed, see [LED.Dimmed].
type LED uint8

// The meanings.
const (
	LEDDark   LED = iota
	LEDEmpty      // an empty cell, on boards whose empty cells are lit
	LEDRed        // the first player
	LEDYellow     // the second player
	LEDBlue       // the second player on the full matrix
	LEDWins       // a column that wins; also parts of icons
	LEDDraws      // a column that draws
	LEDPlain      // the lines of icons
	ledKinds
)

// LEDs is the number of meanings, dimmed ones included. Every [LED] is less than LEDs.
const LEDs = int(2 * ledKinds)

// Dimmed returns the same meaning with a quarter of the light.
func (l LED) Dimmed() LED {
	if l == LEDDark || l >= ledKinds {
		return l
	}
	return l + ledKinds
}

// ledLetters has the letter of each [LED].
const ledLetters = ".ORYBWDL.orybwdl"

// Letter returns the meaning as a letter: '.' dark, O an empty cell, R, Y and B the
// players, W wins, D draws, L plain light; lower case if dimmed.
func (l LED) Letter() byte { return ledLetters[l] }

// ParseLED is the inverse of [LED.Letter].
func ParseLED(letter byte) (l LED, ok bool) {
	i := strings.IndexByte(ledLetters, letter)
	return LED(max(i, 0)), i >= 0
}
