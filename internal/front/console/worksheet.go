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
	n := newNarrator(out, OnDemand)
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
				n.say(fmt.Sprintf("R is red, %c is %s, a dot is an empty cell. Only one column wins: which one?\n", unicode.ToUpper(rune(second[0])), second))
			}
			n.say(words.NumberedPuzzle(len(made), position, p.Discs))
			n.board(position)
			n.say("Column: ___\n")
			err = n.Flush()
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
		n.WriteByte('\f') // a new page
	}
	n.answers(made)
	return n.Flush()
}

// answers prints the winner's columns, with the replies that hold out longest in brackets.
func (n *narrator) answers(puzzles []analysis.Puzzle) {
	n.say("Answers, with the computer's replies in brackets:")
	for i, p := range puzzles {
		line := fmt.Sprintf("%d:", i+1)
		for j, col := range p.Line[:2*p.Discs-1] {
			line += fmt.Sprintf([]string{" %d", " (%d)"}[j%2], col+1)
		}
		n.say(line)
	}
}
