package words

import (
	"cmp"
	"fmt"

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

func menuKeys(v *game.View) string {
	switch {
	case v.Choices.Page != "menu":
		return "left and right change it, a press starts, up goes back"
	case v.Choices.Chosen == len(v.Choices.All())-1: // who starts
		return "a press changes it"
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
