// Package analysis looks back at a game of the standard board: what each disc was worth,
// and which one changed the outcome. Its answers are exact. They come one disc at a time,
// the last disc first: positions late in a game are quickly solved, and what the solver
// learns there makes the early ones quick.
package analysis

import (
	"cmp"
	"context"
	"iter"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/solver"
)

// Disc is a disc of a game and what it was worth. It is a comparable value.
type Disc struct {
	Ply    int        // 0 for the first of the game
	Player board.Disc // who dropped it
	Column int        // where, from 0

	// Scores of the position before and after the disc, both for its player: above zero
	// wins, below zero loses; see package solver.
	Before, After int

	// What each column was worth before the disc, as in [solver.Judgement].
	Columns [board.MaxSide]int
	Free    [board.MaxSide]bool
}

// Kept reports whether the disc kept the position's score: no column was better.
func (d Disc) Kept() bool { return d.After == d.Before }

// Best returns the columns that keep the position's score, from the left.
func (d Disc) Best() []int { return d.worth(d.Before) }

// Holding returns the columns that keep the outcome: with a win before the disc, every
// column that wins, however late.
func (d Disc) Holding() []int {
	if d.Before > 0 {
		return d.worth(1)
	}
	return d.Best() // every other one loses, or loses sooner
}

// worth returns the columns that are worth at least a score.
func (d Disc) worth(least int) (columns []int) {
	for col, free := range d.Free {
		if free && d.Columns[col] >= least {
			columns = append(columns, col)
		}
	}
	return columns
}

// Marked reports whether the disc changed the outcome, always for the worse: no disc is
// worth more than the position before it.
func (d Disc) Marked() bool { return cmp.Compare(d.Before, 0) != cmp.Compare(d.After, 0) }

// Mark returns the change of the outcome, "win to loss"; it is empty if the disc changed
// nothing.
func (d Disc) Mark() string {
	if !d.Marked() {
		return ""
	}
	return game.OutcomeText(d.Before) + " to " + game.OutcomeText(d.After)
}

// Analyst analyses games, one at a time. It remembers positions from earlier games.
type Analyst struct{ solver *solver.Solver }

// New returns an Analyst with a solver of its own.
func New(o solver.Options) *Analyst { return &Analyst{solver.New(o)} }

// Discs yields the discs of a game, the last one first, down to the ply where the players
// began to choose: 0, or the length of a given opening. A disc comes as soon as it is
// analysed. The last element may be an error: [solver.ErrRules] for a board that is not
// standard, or the context's.
func (a *Analyst) Discs(ctx context.Context, g board.Game, from int) iter.Seq2[Disc, error] {
	return func(yield func(Disc, error) bool) {
		position := g.Position()
		if position.Rules() != board.Standard {
			yield(Disc{}, solver.ErrRules)
			return
		}
		next := 0 // the score after the disc, for the side to move then
		switch position.Outcome() {
		case board.Playing:
			r, err := a.solver.Solve(ctx, position)
			if err != nil {
				yield(Disc{}, err)
				return
			}
			next = r.Score
		case board.Draw:
		default: // the last disc won, with as many discs left as the best score says
			next = -wonAt(position.Ply() - 1)
		}
		for ply := position.Ply() - 1; ply >= from; ply-- {
			column := g.Move(ply)
			_ = g.Undo() // there is a disc to take back
			position = g.Position()
			j, err := a.solver.Judge(ctx, position)
			if err != nil {
				yield(Disc{}, err)
				return
			}
			d := Disc{Ply: ply, Player: position.Turn(), Column: column, Before: j.Score, After: -next}
			copy(d.Columns[:], j.Columns[:])
			copy(d.Free[:], j.Free[:])
			next = j.Score
			if !yield(d, nil) {
				return
			}
		}
	}
}

// wonAt returns the score of winning with the disc at a ply, to the winner.
func wonAt(ply int) int { return (board.Standard.Cells() - ply + 1) / 2 }
