package game

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/c4hat/c4hat/board"
)

const side = board.MaxSide // of the matrix

// Frame is the picture on the 8×8 LEDs, row by row from the top left: the LED at (x, y) is
// Frame[8*y+x]. It says what the LEDs mean; package hatpanel gives them colours.
type Frame [64]LED

// LED is the meaning of one LED's light. Each meaning also exists dimmed, see [LED.Dimmed].
type LED uint8

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

const ledLetters = ".ORYBWDL.orybwdl"

// Letter returns the meaning as a letter: '.' dark, O an empty cell, R, Y and B the players, W wins,
// D draws, L plain light; lower case if dimmed.
func (l LED) Letter() byte { return ledLetters[l] }

// ParseLED is the inverse of [LED.Letter].
func ParseLED(letter byte) (l LED, ok bool) {
	i := strings.IndexByte(ledLetters, letter)
	return LED(max(i, 0)), i >= 0
}

// MarshalJSON writes a string of eight letters for each row from the top, see [LED.Letter].
func (f Frame) MarshalJSON() ([]byte, error) {
	var rows [side]string
	for i, led := range f {
		rows[i/side] += string(led.Letter())
	}
	return json.Marshal(rows)
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (f *Frame) UnmarshalJSON(text []byte) error {
	var rows []string
	if err := json.Unmarshal(text, &rows); err != nil {
		return err
	}
	letters := strings.Join(rows, "")
	if len(letters) != len(f) {
		return fmt.Errorf("leds: %d letters, not %d", len(letters), len(f))
	}
	for i := range f {
		var ok bool
		if f[i], ok = ParseLED(letters[i]); !ok {
			return fmt.Errorf("leds: unknown letter %q", letters[i])
		}
	}
	return nil
}

// sheet has icons of 8×8 LEDs side by side, with a space between them, in the letters of
// [LED.Letter]. Even a small child must be able to tell the icons apart.
type sheet [side]string

// digitSheet has the digits from 1 to 9, for points, puzzles solved in a row and a browser's digit, and
// then the hourglass of [Starting].
var digitSheet = sheet{
	"...LL... ..LLLL.. .LLLLL.. ....LL.. .LLLLLL. ..LLLL.. .LLLLLL. ..LLLL.. ..LLLL.. .LLLLLL.",
	"..LLL... .LL..LL. .....LL. ...LLL.. .LL..... .LL..... .....LL. .LL..LL. .LL..LL. ..L..L..",
	".LLLL... .....LL. .....LL. ..L.LL.. .LL..... .LL..... ....LL.. .LL..LL. .LL..LL. ..LYYL..",
	"...LL... ....LL.. ..LLLL.. .L..LL.. .LLLLL.. .LLLLL.. ....LL.. ..LLLL.. .LL..LL. ...LL...",
	"...LL... ...LL... .....LL. .LLLLLL. .....LL. .LL..LL. ...LL... .LL..LL. ..LLLLL. ...LL...",
	"...LL... ..LL.... .....LL. ....LL.. .....LL. .LL..LL. ...LL... .LL..LL. .....LL. ..L..L..",
	"...LL... .LL..... .....LL. ....LL.. .LL..LL. .LL..LL. ..LL.... .LL..LL. .....LL. ..LYYL..",
	".LLLLLL. .LLLLLL. .LLLLL.. ....LL.. ..LLLL.. ..LLLL.. ..LL.... ..LLLL.. ..LLLL.. .LLLLLL.",
}

const maxDigit = 9

// Starting returns the picture to show while the saved match is being read, before there is a game.
func Starting() (f Frame) {
	digitSheet.draw(&f, maxDigit)
	return f
}

// draw draws one icon of the sheet; icons are numbered from 0.
func (s *sheet) draw(f *Frame, icon int) {
	for y, line := range s {
		for x := range side {
			f[8*y+x], _ = ParseLED(line[(side+1)*icon+x])
		}
	}
}

// drawEdges shows whether there is more to the left and to the right: beside the icon or, if it reaches
// the edges, at the top.
func drawEdges(f *Frame, left, right bool) {
	first, last := 3*side, 4*side-1
	if f[first] != LEDDark || f[last] != LEDDark {
		first, last = 0, side-1
	}
	if left {
		f[first] = LEDPlain.Dimmed()
	}
	if right {
		f[last] = LEDPlain.Dimmed()
	}
}

// drawDigit draws a digit from 1; numbers above 9 become a 9.
func drawDigit(f *Frame, n int, l LED) {
	digitSheet.draw(f, min(n, maxDigit)-1)
	replace(f, LEDPlain, l)
}

func replace(f *Frame, from, to LED) {
	for i, l := range f {
		if l == from {
			f[i] = to
		}
	}
}
