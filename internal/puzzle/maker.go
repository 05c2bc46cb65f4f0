package puzzle

import (
	"context"
	"errors"
	"math/bits"
	"math/rand/v2"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/solver"
)

// Maker makes puzzles, without end and no two the same, mirror images included. A seed
// repeats them on every machine. It is not safe for concurrent use.
type Maker struct {
	chance *rand.Rand
	solver *solver.Solver
	seen   seen
}

// The limits of a Maker's solver. Positions that take longer are left out: with ten times
// as many nodes, fewer attempts fail but a puzzle takes two to three times as long.
const (
	makerNodes = 10_000
	makerTable = 1 << 20
)

// NewMaker returns a Maker.
func NewMaker(seed uint64) *Maker {
	return &Maker{
		chance: rand.New(rand.NewPCG(seed, 0)),
		solver: solver.New(solver.Options{Nodes: makerNodes, Table: makerTable}),
		seen:   make(seen),
	}
}

// Next makes a puzzle in which the player wins with that many discs, 1 to [MaxDiscs]. The
// error is the context's.
func (m *Maker) Next(ctx context.Context, discs int) (Puzzle, error) {
	for {
		p, err := m.try(ctx, discs)
		switch {
		case errors.Is(err, ErrNone), errors.Is(err, solver.ErrNodes):
		case err != nil:
			return Puzzle{}, err
		case m.seen.add(p):
			return p, nil
		}
	}
}

// Openings of a puzzle have between fewest and most random discs. After fewer discs
// positions look alike and take long to solve; after more, little is left to find.
const (
	fewest = 8
	most   = 28
)

// try drops random discs. If somebody can win by force then, both sides play perfectly
// until the win is as far away as the puzzle wants.
func (m *Maker) try(ctx context.Context, discs int) (Puzzle, error) {
	g, _ := board.NewGame(board.Standard, board.Red)
	p := g.Position()
	for plies := fewest + m.chance.IntN(most-fewest); p.Ply() < plies; p = g.Position() {
		_ = g.Play(m.chance.IntN(p.Rules().Columns)) // again, if the column is full
		if p = g.Position(); p.Outcome() != board.Playing {
			return Puzzle{}, ErrNone
		}
	}
	for {
		r, best, err := m.solver.Best(ctx, p)
		switch {
		case err != nil:
			return Puzzle{}, err
		case r.Score == 0 || r.Score > 0 && toWin(r.Score, p.Ply()) < discs:
			return Puzzle{}, ErrNone
		case r.Score > 0 && toWin(r.Score, p.Ply()) == discs:
			return Of(ctx, m.solver, g)
		}
		_ = g.Play(best[m.chance.IntN(len(best))])
		p = g.Position()
	}
}

// seen is the puzzles made so far.
type seen map[[2]uint64]bool

// add adds a puzzle; false means that it was there, or its mirror image.
func (s seen) add(p Puzzle) bool {
	key := keyOf(p.Game.Position())
	if s[key] {
		return false
	}
	s[key] = true
	return true
}

// keyOf is the same for two positions if they are the same or mirror images.
func keyOf(p board.Position) [2]uint64 {
	mine, theirs := uint64(p.Discs(p.Turn())), uint64(p.Discs(p.Turn().Other()))
	mirrored := [2]uint64{bits.ReverseBytes64(mine << 8), bits.ReverseBytes64(theirs << 8)}
	if key := [2]uint64{mine, theirs}; key[0] < mirrored[0] || key[0] == mirrored[0] && key[1] < mirrored[1] {
		return key
	}
	return mirrored
}
