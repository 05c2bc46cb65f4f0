package analysis

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
)

// Maker makes any number of puzzles, no two of them equal or mirror images. With the same seed, it
// makes the same puzzles on every machine. A Maker is not safe for concurrent use.
type Maker struct {
	rules  board.Rules
	chance *rand.Rand
	solver *solver.Solver
	seen   seen
}

// The limits of a Maker's solver. Positions that take more nodes are skipped. With a limit ten
// times as high, fewer attempts would fail, but finding a puzzle would take two to three times as
// long.
const (
	makerNodes = 10_000
	makerTable = 1 << 20
)

// NewMaker returns a Maker of puzzles for a board with four in a line.
func NewMaker(rules board.Rules, seed uint64) *Maker {
	return &Maker{
		rules:  rules,
		chance: rand.New(rand.NewPCG(seed, 0)),
		solver: solver.New(solver.Options{Nodes: makerNodes, Table: makerTable}),
		seen:   make(seen),
	}
}

// Next makes a puzzle in which the player wins with the given number of discs, 1 to [game.MaxPuzzle]. The
// error is the context's, or [ErrNoMore].
func (m *Maker) Next(ctx context.Context, discs int) (Puzzle, error) {
	for range mostGames {
		p, err := m.try(ctx, discs)
		switch {
		case errors.Is(err, ErrNoPuzzle):
		case err != nil:
			return Puzzle{}, err
		case m.seen.add(p):
			return p, nil
		}
	}
	return Puzzle{}, ErrNoMore
}

// ErrNoMore reports that a Maker tried many games in vain.
var ErrNoMore = errors.New("found no more puzzles on this board: choose a larger one or fewer discs")

// mostGames is how many random games a Maker tries for a puzzle.
const mostGames = 20_000

// All makes puzzles until the context is done; the last element has the context's cause.
func (m *Maker) All(ctx context.Context, discs int) iter.Seq2[Puzzle, error] {
	return func(yield func(Puzzle, error) bool) {
		for {
			p, err := m.Next(ctx, discs)
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// A Maker looks for a puzzle in positions with fewestDiscs discs or more and mostEmpty
// empty cells or fewer, from which the win takes
// at most ahead discs more than the puzzle. A puzzle has at least fewestOpen columns to choose
// from.
const (
	fewestDiscs = 7
	mostEmpty   = 35 // with more, the solver takes too long; on 7x6 that is the same
	ahead       = 3
	fewestOpen  = 3
)

// try plays a random game, and looks for a puzzle from each of its positions.
// The error is [ErrNoPuzzle] if there is no puzzle.
func (m *Maker) try(ctx context.Context, discs int) (Puzzle, error) {
	g, _ := board.NewGame(m.rules, board.Red)
	from := max(fewestDiscs, m.rules.Cells()-mostEmpty)
	for p := g.Position(); p.Outcome() == board.Playing; p = g.Position() {
		if p.Ply() >= from {
			found, err := m.approach(ctx, g, discs)
			if err == nil || !errors.Is(err, ErrNoPuzzle) && !errors.Is(err, solver.ErrNodes) {
				return found, err
			}
		}
		col := m.chance.IntN(m.rules.Columns)
		next, err := p.Drop(col)
		if err != nil || next.Outcome() != board.Playing && p.Ply() < from && m.chance.IntN(8) > 0 {
			continue // a full column, or a game that would end too early
		}
		_ = g.Play(col)
	}
	return Puzzle{}, ErrNoPuzzle
}

// approach returns a puzzle if the side to move wins with the given number of discs or a few
// more: it plays perfectly for both sides until the win is exactly that many discs away.
func (m *Maker) approach(ctx context.Context, g board.Game, discs int) (Puzzle, error) {
	if wins, err := within(ctx, m.solver, g.Position(), discs+ahead); err != nil || !wins {
		return Puzzle{}, cmp.Or(err, ErrNoPuzzle)
	}
	for {
		p := g.Position()
		r, best, err := m.solver.Best(ctx, p)
		switch {
		case err != nil:
			return Puzzle{}, err
		case r.Score > 0 && toWin(p, r.Score) <= discs:
			if toWin(p, r.Score) < discs || len(slices.Collect(p.LegalMoves())) < fewestOpen {
				return Puzzle{}, ErrNoPuzzle
			}
			return PuzzleOf(ctx, m.solver, g)
		}
		_ = g.Play(best[m.chance.IntN(len(best))])
	}
}

// seen is the set of the puzzles found so far.
type seen map[[2]uint64]bool

// add adds a puzzle, and reports whether neither it nor its mirror image was in the set.
func (s seen) add(p Puzzle) bool {
	key := keyOf(p.Game.Position())
	if s[key] {
		return false
	}
	s[key] = true
	return true
}

// keyOf returns the same key for two positions if they are equal or mirror images.
func keyOf(p board.Position) [2]uint64 {
	mine, theirs := uint64(p.Discs(p.Turn())), uint64(p.Discs(p.Turn().Other()))
	beside := 64 - 8*p.Rules().Columns
	mirrored := [2]uint64{bits.ReverseBytes64(mine << beside), bits.ReverseBytes64(theirs << beside)}
	if key := [2]uint64{mine, theirs}; slices.Compare(key[:], mirrored[:]) < 0 {
		return key
	}
	return mirrored
}
