package words

import (
	"cmp"
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

var (
	cheer   = screen{title: ended, mine: endedMine, event: ended, keys: cheerKeys, help: endedHelp}
	score   = screen{title: ended, mine: endedMine, event: ended, help: endedHelp}
	victory = screen{title: victoryTitle, event: victoryTitle, help: endedHelp}
	drawn   = screen{title: ended, event: ended, help: keys(lookBack, "q quit")}
	cleared = screen{title: victoryTitle, event: victoryTitle, help: endedHelp}
)

// ended says how the round on the screen ended.
func ended(v *game.View) string {
	switch {
	case !v.Solving.On:
		return Round(v.Match, v.Game.Position().Outcome())
	case v.Solving.InARow > 1:
		return fmt.Sprintf("solved: %d in a row", v.Solving.InARow)
	}
	return "solved"
}

func endedMine(v *game.View) string {
	winner := v.Game.Position().Outcome().Winner()
	switch {
	case v.Solving.On:
	case v.Match.Winner() != board.Empty:
		return victoryTitle(v)
	case v.Alone() && winner != board.Empty:
		return yourRound(v.Match, winner == v.Computer)
	}
	return ended(v)
}

func victoryTitle(v *game.View) string {
	return cmp.Or(Person(v.Match, v.Computer, v.Seats), Match(v.Match), ended(v))
}

func cheerKeys(v *game.View) string {
	if v.Solving.On {
		return "a press shows another puzzle, up goes back to the menu"
	}
	return ""
}

const lookBack = "Enter continues  l look back"

func endedHelp(v *game.View) [2]string {
	switch {
	case v.Solving.On:
		return [2]string{"Enter next puzzle", "Esc back  q quit"}
	case v.Match.Winner() != board.Empty && v.Next.Points > 0: // a menu follows
		return [2]string{"Enter rematch  l look back", "m menu  q quit"}
	case v.Phase == game.Cheer && v.Match.Winner() == board.Empty:
		return [2]string{lookBack, "q quit"}
	}
	return [2]string{"Enter continues", "q quit"} // over before somebody presses another key
}

// yourLine says to somebody who plays against the computer where the winner's line is.
func yourLine(p board.Position, computer board.Disc) string {
	if p.Outcome().Winner() == computer {
		return "the computer's line: " + Lines(p)
	}
	return "your line: " + Lines(p)
}

// yourRound says to somebody who plays against the computer how a round ended, with the points after it.
func yourRound(m board.Match, lost bool) string {
	if lost {
		return "the computer wins the round (" + Points(m) + ")"
	}
	return "you win the round (" + Points(m) + ")"
}
