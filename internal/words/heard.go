package words

import (
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// What a listener hears while the game cannot be reached.
const (
	ServiceLost = "the service has stopped: waiting for it"
	ServiceBack = "the service is back"
)

// LeftOut says that texts were left out because there were too many.
func LeftOut(n int) string { return fmt.Sprintf("%d earlier messages are left out", n) }

// BriefStart says who begins a round.
func BriefStart(g board.Game) string { return g.Position().Rules().Name(g.Starter()) + " starts" }

// InRow names the row of a cell and says what is in the cell, to somebody who knows the column.
func InRow(p board.Position, col, row int) string {
	return fmt.Sprintf("row %d: %s", row+1, inCell(p, col, row))
}

// OfChoices names the chosen entry of a list, and its place: "beginner, 2 of 7".
func OfChoices(c game.Choices) string {
	return fmt.Sprintf("%s, %d of %d", c.Name(), c.Chosen+1, len(c.All()))
}

// Keys says what the joystick does in a view's phase. It is empty where every key does the same.
func Keys(v *game.View) string {
	switch v.Phase {
	case game.Menu, game.Paused:
		if v.Phase == game.Menu && v.Choices.Page != "menu" {
			return "left and right change it, a press starts, up goes back"
		}
		return "left and right choose, a press confirms"
	case game.Aim:
		return "left and right move, a press drops the disc, up pauses"
	case game.Hinting:
		return "the cursor is on the best column, a press ends the hint"
	case game.Reading:
		return "left and right change the column, up and down the row, a press returns to the match"
	case game.Looking:
		if v.Look.Last.Marked() {
			return "down shows what follows, then what would have been better; up goes back"
		}
		return "left and right show one disc less or more, up and down find the discs that changed the outcome, a press plays the round"
	}
	return ""
}
