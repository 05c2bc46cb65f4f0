package words

import (
	"cmp"
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// What a listener hears while the game cannot be reached, and when a hint's time is over.
const (
	ServiceLost = "the service has stopped: waiting for it"
	ServiceBack = "the service is back"

	HintEnded = "the hint has ended"
)

func LeftOut(n int) string { return fmt.Sprintf("%d earlier messages are left out", n) }

// InRow names the row of a cell and says what is in the cell, to somebody who knows the column.
func InRow(v *game.View) string {
	return fmt.Sprintf("row %d: %s", v.Row, inCell(v.Game.Position(), v.Cursor, v.Row-1))
}

// Read says what somebody who reads the board has come to: a column, or one of its cells.
func Read(v *game.View) string {
	if v.Row == 0 {
		return column(v.Game.Position(), v.Cursor)
	}
	return Cell(v.Cursor, v.Row-1) + ": " + inCell(v.Game.Position(), v.Cursor, v.Row-1)
}

func TurnOf(g board.Game) string { return Turn(g) + "'s turn" }

// lists says what the second pages of the menu list.
var lists = map[string]string{
	"computer": "level of the computer", "8x8": "who plays on 8x8", "7x6": "who plays on 7x6", "puzzle": "how many discs win the puzzle",
}

// OfChoices names a list, its chosen entry, and the entry's place: "level of the computer: beginner, 2 of 6".
func OfChoices(c game.Choices) string {
	return fmt.Sprintf("%s: %s, %d of %d", cmp.Or(lists[c.Page], c.Page), c.Name(), c.Chosen+1, len(c.All()))
}

// Keys says what the joystick does in a view's phase. It is empty where every key does the same.
func Keys(v *game.View) string {
	switch v.Phase {
	case game.Menu, game.Paused:
		played := v.Match.Winner() != board.Empty
		switch second := v.Phase == game.Menu && v.Choices.Page != "menu"; {
		case second && played:
			return "left and right change it, a press starts, up goes back to the menu, where you can look back at the match"
		case second:
			return "left and right change it, a press starts, up goes back"
		case v.Phase == game.Menu && v.Choices.Chosen == len(v.Choices.All())-1: // who starts
			return "a press changes it"
		case v.Phase == game.Paused:
			return "left and right choose, a press confirms; left is read, which reads the board"
		case played:
			return "left and right choose, a press confirms, look back shows the match again"
		}
		return "left and right choose, a press confirms"
	case game.Aim:
		return "left and right move, a press drops the disc, up pauses"
	case game.Hinting:
		return "the cursor is on the best column; the hint ends with a press or after twenty seconds, then a press drops there"
	case game.Reading:
		return "left and right change the column, up and down the row, a press returns to the match, and so does up held for a second"
	case game.Cheer:
		if v.Solving.On {
			return "a press shows another puzzle, up goes back to the menu"
		}
	case game.Looking:
		if v.Look.Last.Marked() {
			return "down shows what follows, then what would have been better; up goes back"
		}
		if v.AllShown() && v.Look.Exact {
			return "left shows one disc less, up finds the last mistake, a press plays the round, up held for a second leaves"
		}
		return "left and right show one disc less or more, up and down find the mistakes, a press plays the round, up held for a second leaves"
	}
	return ""
}
