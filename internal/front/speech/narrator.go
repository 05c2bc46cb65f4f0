// Package speech lets somebody who does not see hear a game. It decides what to say of each view, and
// when, and passes it to an engine such as espeak-ng.
package speech

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// Narrator turns views into texts. What can be seen at any time, such as the chosen entry of a menu,
// is said only of the newest view.
type Narrator struct {
	brief bool
	story words.Narrator
	last  game.View
	keys  map[string]bool // what was said about keys

	must  []string
	shown []string
}

// NewNarrator returns a narrator. If brief is set, it uses few words.
func NewNarrator(brief bool) *Narrator {
	n := &Narrator{brief: brief, keys: map[string]bool{}}
	n.story = words.Narrator{Brief: brief, Commands: func(bool) {}, Say: func(text string, must bool) {
		if must {
			n.must = append(n.must, text)
		} else {
			n.shown = append(n.shown, strings.TrimSuffix(text, "."))
		}
	}}
	return n
}

// Tell returns what to say of a view that follows the last one: texts that nobody may miss, in order,
// and what is shown, which replaces what was shown before. It is empty if that is the same.
func (n *Narrator) Tell(v game.View) (must []string, shown string) {
	was := n.last
	n.last, n.must, n.shown = v, nil, nil
	fresh := was == (game.View{})
	switch {
	case fresh:
		n.story.Last, was = v, v
	case v.Lost && !was.Lost:
		return []string{words.ServiceLost}, ""
	case v.Lost:
		return nil, ""
	case was.Lost:
		n.must = append(n.must, words.ServiceBack)
	}
	again := was.Lost && v.UnderWay && v.ID == was.ID // what has changed is not all that has been forgotten
	n.story.Tell(v)
	switch {
	case v.UnderWay && (fresh || again):
		text := words.GoesOn(&v, true)
		if v.Phase == game.Aim {
			text += n.above(&v, ", ")
		}
		n.shown, was = append(n.shown, text), v
	case fresh:
		n.shown = append(n.shown, words.Status(&v))
		if v.Phase == game.Paused {
			was = game.View{} // the status of puzzles names no entry
		}
	}
	if text := n.shows(&was, &v); text != "" {
		n.shown = append(n.shown, text)
	}
	if keys := v.Text.Keys; keys != "" && !n.keys[keys] {
		n.keys[keys] = true
		n.shown = append(n.shown, keys)
	}
	return n.must, strings.Join(n.shown, ". ")
}

// shows says what a view shows, if that differs from the view before it.
func (n *Narrator) shows(was, v *game.View) string {
	entered := v.Phase != was.Phase
	column := ""
	if v.Cursor != was.Cursor {
		column = strconv.Itoa(v.Cursor + 1)
	}
	switch {
	case v.Notice != was.Notice && v.Notice.Kind != game.NoticeNone:
		return v.Text.Refused
	case v.Phase == game.Menu || v.Phase == game.Paused:
		switch {
		case v.Choices.Page != was.Choices.Page && v.Phase == game.Menu && v.Choices.Page != "menu":
			return words.OfChoices(v.Choices)
		case v.Choices.Page != was.Choices.Page:
			return v.Choices.Page + ": " + v.Choices.Name()
		case v.Choices.Name() != was.Choices.Name():
			return v.Choices.Name()
		}
	case v.Phase == game.Reading:
		if entered || column != "" || v.Row == 0 && was.Row != 0 {
			return words.Read(v)
		} else if v.Row != was.Row {
			return words.InRow(v)
		}
	case v.Phase == game.Aim && was.Phase == game.Hinting && v.Game == was.Game:
		return cmp.Or(column, words.HintEnded) // after its time, unless left or right ended it
	case v.Phase == game.Aim:
		turn := v.Text.Mine
		if !entered && turn == was.Text.Mine && v.Game == was.Game {
			return column
		}
		if (n.brief || v.Solving.On) && len(n.shown) > 0 { // the round or the puzzle that begins
			return n.above(v, "above ")
		}
		if !v.Alone() && v.Failed == "" && !v.TakenTurn() {
			turn = words.TurnOf(v.Game)
		}
		if was.Phase == game.Reading {
			return turn + ", " + words.Columns([]int{v.Cursor})
		}
		return turn + n.above(v, ", ")
	case v.Phase == game.Looking:
		if ply, last := v.Game.Position().Ply(), was.Game.Position().Ply(); ply > 0 && (entered || ply > last+1 || ply < last-1) {
			return v.Text.Title
		}
	case v.Phase == game.Fall:
		if !entered && v.Game == was.Game {
			return column
		}
	case entered && len(n.shown) == 0 && (v.Phase != game.Dark || !n.brief):
		switch v.Phase {
		case game.Attract, game.Making, game.Admitting, game.Dark:
			return v.Text.Title
		}
	}
	return ""
}

// above names the column of the cursor after a word, in few words only if a turn does not usually begin there.
func (n *Narrator) above(v *game.View, word string) string {
	if n.brief && v.Cursor == (v.Match.Rules().Columns-1)/2 {
		return ""
	}
	return word + words.Columns([]int{v.Cursor})
}
