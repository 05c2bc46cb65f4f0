package words

import (
	"fmt"

	"github.com/c4hat/c4hat/board"
)

// making is the screen while a puzzle is being made. A puzzle is played on the screens of a match.
var making = screen{title: always("a puzzle is being made"), help: keys("Esc back", "q quit")}

// Puzzle says who moves in a puzzle, and with how many discs that player wins.
func Puzzle(p board.Position, discs int) string {
	return fmt.Sprintf("%s moves and wins with %s", p.Rules().Name(p.Turn()), count(discs, "disc"))
}

// NumberedPuzzle announces a puzzle, in a sentence.
func NumberedPuzzle(number int, p board.Position, discs int) string {
	return fmt.Sprintf("Puzzle %d: %s.", number, Puzzle(p, discs))
}
