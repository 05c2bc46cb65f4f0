package words

import "github.com/c4hat/c4hat/internal/game"

var pause = screen{
	title: chosen, event: moved, keys: always(confirms + "; the entry on the left reads the board"),
	help: keys("↑ ↓ move", "Enter choose  Esc resume  q quit"),
}

// Paused says that the match or the puzzle waits.
func Paused(v *game.View) string {
	if v.Solving.On {
		return "the puzzle is paused"
	}
	return "the match is paused"
}

// reading is opened in the pause screen.
var reading = screen{
	title: Read, event: moved, help: keys("← → ↑ ↓ read the board", "Enter continues  q quit"),
	keys: always("left and right change the column, up and down the row, a press returns to the match"),
}

// Read says what somebody who reads the board has come to: a column, or one of its cells.
func Read(v *game.View) string {
	if v.Row == 0 {
		return column(v.Game.Position(), v.Cursor)
	}
	return Cell(v.Cursor, v.Row-1) + ": " + inCell(v.Game.Position(), v.Cursor, v.Row-1)
}
