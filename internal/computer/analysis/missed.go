package analysis

import (
	"context"
	"errors"
	"iter"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
)

// Finder finds puzzles in games: wins that a player missed. No two of the puzzles are equal or
// mirror images. A Finder is not safe for concurrent use.
type Finder struct {
	analyst *Analyst
	solver  *solver.Solver
	seen    seen
}

// NewFinder returns a Finder.
func NewFinder() *Finder {
	return &Finder{New(solver.Options{}), solver.New(solver.Options{}), make(seen)}
}

// Missed yields the puzzles of a game, the last one first: positions in which the player
// could win and dropped a disc that did not. The computer's discs and those of an opening
// are skipped. The last element may be the context's error, or [solver.ErrRules].
func (f *Finder) Missed(ctx context.Context, g board.Game, opening int, computer board.Disc) iter.Seq2[Puzzle, error] {
	return func(yield func(Puzzle, error) bool) {
		for d, err := range f.analyst.Discs(ctx, g, opening) {
			if err != nil {
				yield(Puzzle{}, err)
				return
			}
			for g.Position().Ply() > d.Ply {
				_ = g.Undo()
			}
			if !d.Changed() || d.Before <= 0 || d.Player == computer {
				continue
			}
			p, err := PuzzleOf(ctx, f.solver, g)
			if errors.Is(err, ErrNoPuzzle) || err == nil && !f.seen.add(p) {
				continue
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}
