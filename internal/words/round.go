package words

import (
	"cmp"
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

var (
	cheer   = screen{title: won, mine: wonMine, event: ended, keys: cheerKeys, help: endedHelp}
	victory = screen{title: won, event: won, help: endedHelp}
)

// ended says how the round on the screen ended.
func ended(v *game.View) string { return endedTo(v, board.Empty) }

// endedTo is [ended] for somebody who plays against a computer, unless that is empty.
func endedTo(v *game.View, computer board.Disc) string {
	switch {
	case !v.Solving.On:
		return Round(v.Match, v.Game.Position().Outcome(), computer)
	case v.Solving.InARow > 1:
		return inARow(v)
	}
	return "solved"
}

func inARow(v *game.View) string { return fmt.Sprintf("%d solved in a row", v.Solving.InARow) }

// won says who won the match or, before its end, the round.
func won(v *game.View) string { return cmp.Or(winnerOf(v), ended(v)) }

func wonMine(v *game.View) string { return cmp.Or(winnerOf(v), endedTo(v, you(v, true))) }

// winnerOf says who won the match. It is empty before its end.
func winnerOf(v *game.View) string {
	return cmp.Or(Person(v.Record, v.Seats), Match(v.Match))
}

func cheerKeys(v *game.View) string {
	if v.Solving.On {
		return "a press shows another puzzle, up goes back to the menu"
	}
	return ""
}

func endedHelp(v *game.View) [2]string {
	switch {
	case v.Solving.On:
		return [2]string{"Enter next puzzle", "Esc back  q quit"}
	case v.Match.Winner() != board.Empty && v.Next.Points > 0: // a menu follows
		return [2]string{"Enter rematch  l look back", "m menu  q quit"}
	}
	return [2]string{"Enter continues  l look back", "q quit"}
}
