package words

import (
	"fmt"
	"strings"

	"github.com/c4hat/c4hat/board"
)

// Legend explains the table of an analysis.
const Legend = `before, after: who wins if both play perfectly, and with how many discs from this row on
best: the columns that win soonest, or lose latest
*: a disc that changed the outcome, or missed or allowed four in a row`

func UnknownUpTo(ply int) string {
	return fmt.Sprintf("the scores up to disc %d are unknown: too many cells are empty", ply+1)
}

func Finished(p board.Position) string {
	switch outcome := p.Outcome(); outcome {
	case board.Playing:
		return "the game is not over"
	case board.Draw:
		return "the game ended in a draw"
	default:
		return fmt.Sprintf("%s won the game with disc %d", p.Rules().Name(outcome.Winner()), p.Ply())
	}
}

// ByFault says that a player could not play on, and so lost the game.
func ByFault(why string) string { return "a fault ended the game: " + why }

// KeptTimes says how many discs of each player with known ones kept the score.
func KeptTimes(r board.Rules, kept, discs [2]int) string {
	var players []string
	for i, player := range []board.Disc{board.Red, board.Yellow} {
		if discs[i] > 0 {
			players = append(players, fmt.Sprintf("%s %d of %d", r.Name(player), kept[i], discs[i]))
		}
	}
	return "best columns played: " + strings.Join(players, ", ")
}

// Unchanged is said of a game without a disc that changed the outcome.
func Unchanged(p board.Position) string {
	const unchanged = "no disc changed the outcome"
	switch outcome := p.Outcome(); outcome {
	case board.Playing:
		return unchanged
	case board.Draw:
		return unchanged + ": neither player could win"
	default:
		return unchanged + ": " + p.Rules().Name(outcome.Winner()) + " could always win"
	}
}
