package plain

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// writer writes lines; Flush returns its errors.
type writer struct{ *bufio.Writer }

func newWriter(out io.Writer) writer { return writer{bufio.NewWriter(out)} }

// say writes a line.
func (w writer) say(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// board writes the columns' numbers and the cells, top row first.
func (w writer) board(p board.Position) {
	r := p.Rules()
	line := make([]string, r.Columns)
	for col := range line {
		line[col] = fmt.Sprint(col + 1)
	}
	w.say("%s", strings.Join(line, " "))
	for row := r.Rows - 1; row >= 0; row-- {
		for col := range line {
			line[col] = string(r.Letter(p.At(col, row)))
		}
		w.say("%s", strings.Join(line, " "))
	}
}

// computerText says which player the computer is, and how well it plays.
func computerText(r game.Record) string {
	return fmt.Sprintf("The computer is %s, level %d", r.Match.Rules().Name(r.Computer), r.Level)
}
