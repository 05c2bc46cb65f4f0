package words

import (
	"cmp"
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

var menu = screen{title: chosen, keys: menuKeys, help: menuHelp}

// chosen names a list and its chosen entry, or the match that this resumes.
func chosen(v *game.View) string {
	if v.Phase == game.Menu && v.Choices.Name() == game.EntryResume {
		return "the match waits: " + Points(v.Match)
	}
	return v.Choices.Page + ": " + v.Choices.Name()
}

// List is over a list: its name, that the match is paused, or which match the chosen entry resumes.
func List(v *game.View) string {
	switch {
	case v.Phase == game.Paused:
		return Paused(v)
	case v.Choices.Name() == game.EntryResume:
		return Points(v.Match)
	}
	return v.Choices.Page
}

// HowEnds says what the entry end of the pause screen does to the match. It is empty for other entries.
func HowEnds(v *game.View) string {
	switch {
	case v.Phase != game.Paused || v.Choices.Name() != "end" || v.Solving.On:
		return ""
	case v.Begun() && v.Seats[0].State == game.Open && v.Seats[1].State == game.Open:
		return "the menu can resume it"
	}
	return "no point for anyone"
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
		return confirms + ", look back shows the match again"
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
