package words

import (
	"cmp"
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

var menu = screen{title: menuTitle, mine: menuHead, keys: menuKeys, help: menuHelp}

func menuTitle(v *game.View) string {
	if v.Choices.Name() == game.EntryResume {
		return "the match waits: " + Points(v.Match)
	}
	return chosen(v)
}

// chosen names a list and its chosen entry.
func chosen(v *game.View) string { return v.Choices.Page + ": " + v.Choices.Name() }

// menuHead is over the list: the match that the chosen entry resumes, or the list's name.
func menuHead(v *game.View) string {
	if v.Choices.Name() != game.EntryResume {
		return v.Choices.Page
	}
	if col, _, ok := v.Game.Last(); ok {
		return fmt.Sprintf("%s; last disc in column %d", Points(v.Match), col+1)
	}
	return Points(v.Match) + "; no disc yet"
}

func menuKeys(v *game.View) string {
	played := v.Match.Winner() != board.Empty
	switch second := v.Choices.Page != "menu"; {
	case second && played:
		return "left and right change it, a press starts, up goes back to the menu, where you can look back at the match"
	case second:
		return "left and right change it, a press starts, up goes back"
	case v.Choices.Chosen == len(v.Choices.All())-1: // who starts
		return "a press changes it"
	case played:
		return "left and right choose, a press confirms, look back shows the match again"
	}
	return confirms
}

const confirms = "left and right choose, a press confirms"

func menuHelp(v *game.View) [2]string {
	if v.Choices.Page != "menu" {
		return [2]string{"↑ ↓ move", "Enter choose  Esc back  q quit"}
	}
	return [2]string{"↑ ↓ move  ← → change", "Enter choose  q quit"}
}

// lists says what the second pages of the menu list.
var lists = map[string]string{
	"computer": "level of the computer", "8x8": "who plays on 8x8", "7x6": "who plays on 7x6", "puzzle": "how many discs win the puzzle",
}

// OfChoices names a list, its chosen entry, and the entry's place: "level of the computer: beginner, 2 of 6".
func OfChoices(c game.Choices) string {
	return fmt.Sprintf("%s: %s, %d of %d", cmp.Or(lists[c.Page], c.Page), c.Name(), c.Chosen+1, len(c.All()))
}
