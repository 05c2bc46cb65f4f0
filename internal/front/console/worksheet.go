package console

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"unicode"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/computer/analysis"
	"github.com/c4hat/c4hat/internal/words"
)

// TellPuzzles prints count puzzles, each as soon as it is made, as JSON or as text. In text the
// answers come last; on paper they are on a separate page.
func TellPuzzles(out io.Writer, puzzles iter.Seq2[analysis.Puzzle, error], count int, asJSON bool, progress *cli.Progress) error {
	var made []analysis.Puzzle
	w := newWriter(out)
	for p, err := range puzzles {
		progress.Clear()
		if err != nil {
			return err
		}
		made = append(made, p)
		if asJSON {
			err = json.NewEncoder(out).Encode(p)
		} else {
			position := p.Game.Position()
			if len(made) == 1 {
				second := position.Rules().Name(board.Yellow)
				w.say("R is red, %c is %s, a dot is an empty cell. Only one column wins: which one?\n", unicode.ToUpper(rune(second[0])), second)
			}
			w.say("%s", words.NumberedPuzzle(len(made), position, p.Discs))
			w.board(position)
			w.say("Column: ___\n")
			err = w.Flush()
		}
		if err != nil {
			return err
		}
		if len(made) == count {
			break
		}
		progress.Show("%d of %d puzzles", len(made), count)
	}
	progress.Clear()
	if asJSON {
		return nil
	}
	if !cli.IsTerminal(out) {
		fmt.Fprint(w, "\f") // a new page
	}
	w.answers(made)
	return w.Flush()
}

// answers prints the winner's columns, with the replies that hold out longest in brackets.
func (w *writer) answers(puzzles []analysis.Puzzle) {
	w.say("Answers, with replies that hold out longest in brackets:")
	for i, p := range puzzles {
		fmt.Fprintf(w, "%d:", i+1)
		for j, col := range p.Line[:2*p.Discs-1] {
			if j%2 == 0 {
				fmt.Fprintf(w, " %d", col+1)
			} else {
				fmt.Fprintf(w, " (%d)", col+1)
			}
		}
		w.say("")
	}
}
