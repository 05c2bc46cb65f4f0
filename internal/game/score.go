package game

import (
	"fmt"

	"github.com/c4hat/c4hat/board"
)

// EndText says how the game ends for the side that moves at a ply, given that side's score, and
// with which disc: "wins, disc 41", "loses, disc 30", "draws".
func EndText(score, ply int) string {
	switch {
	case score > 0:
		return fmt.Sprintf("wins, disc %d", EndsAt(score, ply)+1)
	case score < 0:
		return fmt.Sprintf("loses, disc %d", EndsAt(score, ply)+1)
	}
	return "draws"
}

// EndsAt returns the ply of the game's last disc, given the score of the side that moves at a ply.
func EndsAt(score, ply int) int {
	switch {
	case score > 0:
		return board.Standard.Cells() - 2*score + ply%2
	case score < 0:
		return board.Standard.Cells() + 2*score + 1 - ply%2
	}
	return board.Standard.Cells() - 1
}

// OutcomeText returns what a score means, as a noun: win, draw or loss.
func OutcomeText(score int) string {
	switch {
	case score > 0:
		return "win"
	case score < 0:
		return "loss"
	}
	return "draw"
}
