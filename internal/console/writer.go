package console

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/lines"
)

// writer writes lines. Its errors are returned by Flush.
type writer struct {
	*bufio.Writer
	asking bool // the last line is a question that waits for its answer
}

func newWriter(out io.Writer) writer { return writer{Writer: bufio.NewWriter(out)} }

// say writes a line.
func (w *writer) say(format string, args ...any) {
	w.newline()
	fmt.Fprintf(w, format+"\n", args...)
}

// ask writes a question, and leaves its line open for the answer.
func (w *writer) ask(format string, args ...any) error {
	w.newline()
	fmt.Fprintf(w, format, args...)
	w.asking = true
	return w.Flush()
}

// newline ends the line of an open question.
func (w *writer) newline() {
	if w.asking {
		w.asking = false
		w.WriteByte('\n')
	}
}

// answered ends a question. newline is false if the user's Enter has ended the question's line.
func (w *writer) answered(l lines.Line, newline bool) {
	if newline || l.Err != nil {
		w.newline()
	}
	w.asking = false
}

// answer waits for the line that answers a question.
func (w *writer) answer(ctx context.Context, in <-chan lines.Line, newline bool) (string, error) {
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case l := <-in:
		w.answered(l, newline)
		if l.Err != nil {
			return "", fmt.Errorf("reading: %w", l.Err)
		}
		return l.Text, nil
	}
}

// flush writes what is buffered. It is called before something that may take a while.
func (w *writer) flush() error {
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	return nil
}

// end writes what is still buffered. It returns err if that is not nil, otherwise the error of
// writing.
func (w *writer) end(err error) error {
	w.newline()
	return cmp.Or(err, w.flush())
}

// Board writes the board, with the numbers of its columns above.
func Board(out io.Writer, p board.Position) error {
	w := newWriter(out)
	w.board(p)
	return w.Flush()
}

// board writes the columns' numbers and the cells, top row first.
func (w *writer) board(p board.Position) {
	r := p.Rules()
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

// drops says which discs were dropped in a round, from a ply on.
func (w *writer) drops(g board.Game, from int, computer board.Disc) {
	shown, _ := board.NewGame(g.Position().Rules(), g.Starter()) // cannot fail: the game was played
	for ply := range g.Position().Ply() {
		_ = shown.Play(g.Move(ply))
		if ply >= from {
			w.say("%s", game.MoveText(shown, computer))
		}
	}
}

// column says which discs are in a column.
func (w *writer) column(p board.Position, col int) {
	r := p.Rules()
	var discs []string
	for row := range p.Height(col) {
		discs = append(discs, r.Name(p.At(col, row)))
	}
	switch free := r.Rows - len(discs); {
	case discs == nil:
		w.say("Column %d is empty.", col+1)
	case free == 0:
		w.say("Column %d is full, from the bottom: %s.", col+1, strings.Join(discs, ", "))
	default:
		w.say("Column %d, from the bottom: %s; %d free.", col+1, strings.Join(discs, ", "), free)
	}
}

// row says what is in a row.
func (w *writer) row(p board.Position, row int) {
	r := p.Rules()
	cells := make([]string, r.Columns)
	taken := false
	for col := range cells {
		cells[col] = cell(p, col, row)
		taken = taken || p.Height(col) > row
	}
	if !taken {
		w.say("Row %d is empty.", row+1)
		return
	}
	w.say("Row %d, from the left: %s.", row+1, strings.Join(cells, ", "))
}

// diagonal says what is in a diagonal through a cell. Seen from the left the diagonal rises if rise
// is 1, and falls if it is -1.
func (w *writer) diagonal(p board.Position, col, row, rise int) {
	way := "Rising"
	if rise < 0 {
		way = "Falling"
	}
	r := p.Rules()
	inside := func(col, row int) bool { return col >= 0 && col < r.Columns && row >= 0 && row < r.Rows }
	for inside(col-1, row-rise) {
		col, row = col-1, row-rise
	}
	from := fmt.Sprintf("column %d, row %d", col+1, row+1)
	var cells []string
	for ; inside(col, row); col, row = col+1, row+rise {
		cells = append(cells, cell(p, col, row))
	}
	w.say("%s to the right from %s: %s.", way, from, strings.Join(cells, ", "))
}

// cell returns the player whose disc is in a cell, or "empty".
func cell(p board.Position, col, row int) string {
	if d := p.At(col, row); d != board.Empty {
		return p.Rules().Name(d)
	}
	return "empty"
}

// columns says which discs are on the board.
func (w *writer) columns(p board.Position) {
	if p.Ply() == 0 {
		w.say("The board is empty.")
	}
	for col := range p.Rules().Columns {
		if p.Height(col) > 0 {
			w.column(p, col)
		}
	}
}

// terms says what wins a match, which player the computer is, and how well it plays.
func (w *writer) terms(r game.Record) {
	w.say("%s.", game.RulesText(r.Match))
	estimates := ""
	if game.Estimates(r.Match.Rules(), r.Level) {
		estimates = ", which on this board looks far ahead but does not know everything"
	}
	if r.Computer != board.Empty {
		w.say("The computer is %s, level %v%s.", r.Match.Rules().Name(r.Computer), r.Level, estimates)
	}
}

// sentence returns a text with a capital at its start.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
