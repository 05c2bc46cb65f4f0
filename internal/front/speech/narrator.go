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
	story words.Narrator
	must  []string
	shown []string
}

// NewNarrator returns a narrator. If brief is set, it uses few words.
func NewNarrator(brief bool) *Narrator {
	n := new(Narrator)
	n.story = words.Narrator{Brief: brief, Plays: true, Say: func(text string, must bool) {
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
	was := n.story.Last
	n.must, n.shown = nil, nil
	if was == (game.View{}) && !v.UnderWay {
		n.story.Last = v // what is shown says all
	}
	n.story.Tell(v)
	if v.Lost {
		return n.must, ""
	}
	if text := n.shows(&was, &v); text != "" {
		n.shown = append(n.shown, text)
	}
	return n.must, strings.Join(n.shown, ". ")
}

// shows says what a view shows, if that differs from the view before it.
func (n *Narrator) shows(was, v *game.View) string {
	entered, column := v.Phase != was.Phase || was.Lost || *was == (game.View{}), ""
	if v.Cursor != was.Cursor {
		column = strconv.Itoa(v.Cursor + 1)
	}
	if v.Notice != was.Notice && v.Notice.Kind != game.NoticeNone {
		return words.Notice(v.Notice)
	}
	switch v.Phase {
	case game.Menu, game.Paused:
		switch {
		case v.Choices.Page != was.Choices.Page:
			return words.OfChoices(v.Choices)
		case v.Choices.Name() != was.Choices.Name():
			return v.Choices.Name()
		}
	case game.Reading:
		if entered || column != "" || v.Row != was.Row {
			return words.Head(v, false)
		}
	case game.Aim:
		turn, where := words.Head(v, true), words.Columns([]int{v.Cursor})
		switch {
		case was.Phase == game.Hinting && v.Game == was.Game:
			return cmp.Or(column, words.HintEnded) // after its time, unless left or right ended it
		case !entered && turn == words.Head(was, true) && v.Game == was.Game:
			return column
		case (n.story.Brief || v.Solving.On) && len(n.shown) > 0: // the round or the puzzle that begins
			return "above " + where
		case v.Solving.On: // the column is no answer
			return turn + "; above " + where
		}
		return turn + ", " + where // not where the last turn ended
	case game.Fall:
		if !entered && v.Game == was.Game {
			return column
		}
	case game.Looking:
		if ply, last := v.Game.Position().Ply(), was.Game.Position().Ply(); ply > 0 && (entered || ply > last+1 || ply < last-1) {
			return words.Head(v, false)
		}
	case game.Thinking, game.Cheer, game.Score, game.Victory, game.Drawn, game.Clear, game.Hinting, game.Over: // the story tells
	default:
		if entered {
			return words.Head(v, false)
		}
	}
	return ""
}
