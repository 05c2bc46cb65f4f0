package words

import "github.com/c4hat/c4hat/internal/game"

var pause = screen{
	title: chosen, mine: Paused, event: moved, keys: always(confirms + "; left is read, which reads the board"),
	help: keys("↑ ↓ move", "Enter choose  Esc resume  q quit"),
}

// Paused says that the match or the puzzle waits.
func Paused(v *game.View) string {
	if v.Solving.On {
		return "the puzzle is paused"
	}
	return "the match is paused"
}
