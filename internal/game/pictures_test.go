package game

import (
	"testing"

	"github.com/c4hat/c4hat/board"
)

// The equals sign of a draw fits on boards of every size, with two lines where there is room.
func TestDrawEquals(t *testing.T) {
	for columns := 1; columns <= board.MaxSide; columns++ {
		for rows := 1; rows <= board.MaxSide; rows++ {
			r := board.Rules{Columns: columns, Rows: rows, Connect: 2}
			var f Frame
			replace(&f, LEDDark, LEDRed)
			drawEquals(&f, r)
			lines, lit := 0, 0
			for row := range board.MaxSide {
				before := lit
				for col := range board.MaxSide {
					led := f[cell(col, row)]
					if led != LEDRed && (col >= columns || row >= rows) {
						t.Fatalf("%v: %c at %d, %d", r, led.Letter(), col, row)
					}
					if led == LEDPlain {
						lit++
					}
				}
				if lit > before {
					lines++
				}
			}
			if want := min(rows, 2); lines != want || lit < want*(columns+1)/2 {
				t.Errorf("%v: %d LEDs in %d lines", r, lit, lines)
			}
		}
	}
}
