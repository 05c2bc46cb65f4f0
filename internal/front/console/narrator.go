package console

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
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

// narrator writes lines: what a [words.Narrator] says, boards, and questions. Its errors are returned by flush.
type narrator struct {
	words.Narrator
	*bufio.Writer
	out    io.Writer
	boards Boards
	drawn  board.Position // the last board that was written
	asking bool           // the last line is a question that waits for its answer
}

func newNarrator(out io.Writer, boards Boards) *narrator {
	n := &narrator{Writer: bufio.NewWriter(out), out: out, boards: boards}
	n.Say = func(text string, _ bool) { n.say(text) }
	if boards != OnDemand {
		n.Board = n.board
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

// Board writes the board, with the numbers of its columns above, or that it is empty.
func Board(out io.Writer, p board.Position) error {
	n := newNarrator(out, OnDemand)
	n.board(p)
	return n.flush()
}

// tell describes what has changed since the last view.
func (n *narrator) tell(v game.View) {
	n.Tell(v)
	if position := v.Game.Position(); n.boards == EachTurn && v.Phase == game.Aim && position != n.drawn {
		n.board(position)
	}
}

// say writes lines.
func (n *narrator) say(texts ...string) {
	n.newline()
	for _, text := range texts {
		n.WriteString(cli.FillLines(text, n.out) + "\n")
	}
}

func (n *narrator) sentence(text string) { n.say(words.Sentence(text) + ".") }

// board writes the columns' numbers and the cells, top row first.
func (n *narrator) board(p board.Position) {
	n.drawn = p
	if p.Ply() == 0 {
		n.say(words.OnBoard(p)...)
		return
	}
	r := p.Rules()
	line := make([]string, r.Columns)
	for col := range line {
		line[col] = strconv.Itoa(col + 1)
	}
	n.say(strings.Join(line, " "))
	for row := r.Rows - 1; row >= 0; row-- {
		for col := range line {
			line[col] = string(r.Letter(p.At(col, row)))
		}
		n.say(strings.Join(line, " "))
	}
}

// ask writes a question and a space, and leaves its line open for the answer.
func (n *narrator) ask(text string) {
	n.newline()
	n.WriteString(cli.FillLines(text, n.out) + " ")
	n.asking = true
}

// newline ends the line of an open question.
func (n *narrator) newline() {
	if n.asking {
		n.asking = false
		n.WriteByte('\n')
	}
}

// flush writes what is buffered. It is called before something that may take a while.
func (n *narrator) flush() error {
	if err := n.Flush(); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	return nil
}
