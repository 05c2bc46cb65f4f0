package console

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/words"
)

// writer writes lines. Its errors are returned by Flush.
type writer struct {
	*bufio.Writer
	out    io.Writer
	asking bool // the last line is a question that waits for its answer
}

func newWriter(out io.Writer) writer { return writer{Writer: bufio.NewWriter(out), out: out} }

func (w *writer) say(format string, args ...any) {
	w.newline()
	w.WriteString(cli.FillLines(fmt.Sprintf(format, args...), w.out) + "\n")
}

// ask writes a question and a space, and leaves its line open for the answer.
func (w *writer) ask(text string) {
	w.newline()
	w.WriteString(cli.FillLines(text, w.out) + " ")
	w.asking = true
}

// newline ends the line of an open question.
func (w *writer) newline() {
	if w.asking {
		w.asking = false
		w.WriteByte('\n')
	}
}

// answered ends a question. newline is false if the user's Enter has ended the question's line.
func (w *writer) answered(l cli.Line, newline bool) {
	if newline || l.Err != nil {
		w.newline()
	}
	w.asking = false
}

// flush writes what is buffered. It is called before something that may take a while.
func (w *writer) flush() error {
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	return nil
}

// Board writes the board, with the numbers of its columns above, or that it is empty.
func Board(out io.Writer, p board.Position) error {
	w := newWriter(out)
	w.board(p)
	return w.flush()
}

// board writes the columns' numbers and the cells, top row first.
func (w *writer) board(p board.Position) {
	r := p.Rules()
	if p.Ply() == 0 {
		w.lines(words.OnBoard(p))
		return
	}
	line := make([]string, r.Columns)
	for col := range line {
		line[col] = strconv.Itoa(col + 1)
	}
	w.say("%s", strings.Join(line, " "))
	for row := r.Rows - 1; row >= 0; row-- {
		for col := range line {
			line[col] = string(r.Letter(p.At(col, row)))
		}
		w.say("%s", strings.Join(line, " "))
	}
}

func (w *writer) sentence(text string) { w.say("%s.", words.Sentence(text)) }

func (w *writer) lines(texts []string) {
	for _, text := range texts {
		w.say("%s", text)
	}
}
