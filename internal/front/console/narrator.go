package console

import (
	"io"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// Boards says when the board is written.
type Boards uint8

// The values of Boards.
const (
	OnDemand  Boards = iota // for speech: the columns are described instead
	EachRound               // at the start and at the end of a round
	EachTurn                // also before each turn
)

// narrator writes in lines of text what a [words.Narrator] says.
type narrator struct {
	writer
	words.Narrator
	boards Boards
	drawn  board.Position // the last board that was written
}

func newNarrator(out io.Writer, boards Boards) *narrator {
	n := &narrator{writer: newWriter(out), boards: boards}
	n.Say = func(text string, _ bool) { n.say("%s", text) }
	if boards != OnDemand {
		n.Board = n.show
	}
	return n
}

// Follow returns a function that takes a game's views and describes the game in lines of
// text: every disc, and how rounds and matches end.
func Follow(out io.Writer, boards Boards) func(game.View) error {
	n := newNarrator(out, boards)
	return func(v game.View) error {
		n.tell(v)
		return n.flush()
	}
}

// Tell describes a finished match in lines of text: who played, every disc, and how each
// round and the match ended.
func Tell(out io.Writer, r game.Record, boards Boards) error {
	n := newNarrator(out, boards)
	n.Match(r)
	return n.flush()
}

// tell describes what has changed since the last view.
func (n *narrator) tell(v game.View) {
	n.Tell(v)
	if position := v.Game.Position(); n.boards == EachTurn && v.Phase == game.Aim && position != n.drawn {
		n.show(position)
	}
}

func (n *narrator) show(p board.Position) {
	n.board(p)
	n.drawn = p
}

// commands says, before the first question, what can be typed.
func (n *narrator) commands(puzzle bool) {
	if puzzle {
		n.say("One column wins, now and at each later turn. The computer holds out as long as it can.")
	}
	n.say("Type a column, or %s.", others(puzzle))
}

// others names the commands that somebody needs most.
func others(puzzle bool) string {
	undo := "u undo, "
	if puzzle {
		undo = ""
	}
	return undo + "? hint, b board, q quit; help lists all commands"
}
