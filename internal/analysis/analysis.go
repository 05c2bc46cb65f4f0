// Package analysis looks back at a game of the standard board: it finds the scores before and
// after each disc, and the discs that changed the outcome. All scores are exact. The discs are
// analysed one at a time, the last disc first: late positions are solved quickly, and what
// the solver learns from them makes it faster on the early ones.
package analysis

import (
	"cmp"
	"context"
	"iter"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/words"
)

// Disc is the analysis of one disc of a game. It is a comparable value.
type Disc struct {
	Ply    int        // 0 for the first of the game
	Player board.Disc // who dropped it
	Column int        // where, from 0

	// Scores of the position before and after the disc, both for the disc's player. A win is
	// above zero, a loss below zero; see package solver.
	Before, After int

	// The outcome of each column before the disc, as in [solver.Judgement].
	Columns [board.MaxSide]int
	Free    [board.MaxSide]bool
}

// Kept reports whether the disc kept the position's score: no column was better.
func (d Disc) Kept() bool { return d.After == d.Before }

// Best returns the columns that keep the position's score, from the left.
func (d Disc) Best() []int { return d.atLeast(d.Before) }

// Holding returns the columns that keep the outcome: if the player could win, every column
// that wins, however late; otherwise the best ones.
func (d Disc) Holding() []int {
	if d.Before > 0 {
		return d.atLeast(1)
	}
	return d.Best() // every other column loses, or loses sooner
}

// atLeast returns the columns that have at least a score, from the left.
func (d Disc) atLeast(least int) (columns []int) {
	for col, free := range d.Free {
		if free && d.Columns[col] >= least {
			columns = append(columns, col)
		}
	}
	return columns
}

// Marked reports whether the disc changed the outcome. The change is always for the worse, because
// no disc is better than the position before it.
func (d Disc) Marked() bool { return cmp.Compare(d.Before, 0) != cmp.Compare(d.After, 0) }

// Mark returns how the disc changed the outcome, "win to loss", or "" if it did not.
func (d Disc) Mark() string {
	if !d.Marked() {
		return ""
	}
	return words.Outcome(d.Before) + " to " + words.Outcome(d.After)
}

// Analyst analyses games, one at a time. It remembers positions from earlier games.
type Analyst struct{ solver *solver.Solver }

// New returns an Analyst that uses a new solver with the options.
func New(o solver.Options) *Analyst { return &Analyst{solver.New(o)} }

// Discs yields the discs of a game, the last one first, down to that of ply from. from is 0, or the
// length of an opening that the players did not choose. Each disc is yielded as soon as it has been
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
		default: // the last disc won, so no other column had a better score
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

// wonAt returns the winner's score for winning with the disc at a ply.
func wonAt(ply int) int { return (board.Standard.Cells() - ply + 1) / 2 }
