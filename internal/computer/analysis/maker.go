package analysis

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
)

// The limits of the solver that makes puzzles. Positions that take more nodes are skipped. With a limit ten
// times as high, fewer attempts would fail, but finding a puzzle would take two to three times as
// long.
const (
	makerNodes = 10_000
	makerTable = 1 << 20
)

// mostGames is how many random games are tried for a puzzle.
const mostGames = 20_000

// ErrNoMore reports that many games were tried in vain.
var ErrNoMore = errors.New("found no more puzzles on this board: choose a larger one or fewer discs")

// Puzzles makes puzzles for a board with four in a line, in which the player wins with a number of discs, 1 to
// [game.MaxPuzzle]. No two are equal, and the same seed makes the same puzzles on every machine. The last element
// has the context's cause, or [ErrNoMore].
func Puzzles(ctx context.Context, rules board.Rules, seed uint64, discs int) iter.Seq2[Puzzle, error] {
	return func(yield func(Puzzle, error) bool) {
		m := maker{rules, rand.New(rand.NewPCG(seed, 0)), solver.New(solver.Options{Nodes: makerNodes, Table: makerTable})}
		made := map[board.Position]bool{}
		for left := mostGames; left > 0; left-- {
			p, err := m.try(ctx, discs)
			switch {
			case ctx.Err() != nil:
				err = context.Cause(ctx)
			case errors.Is(err, ErrNoPuzzle) || made[p.Game.Position()]:
				continue
			}
			if !yield(p, err) || err != nil {
				return
			}
			made[p.Game.Position()], left = true, mostGames
		}
		yield(Puzzle{}, ErrNoMore)
	}
}

type maker struct {
	rules  board.Rules
	chance *rand.Rand
	solver *solver.Solver
}

// fewestOpen is the number of columns to choose from in a puzzle, unless the board has fewer.
const fewestOpen = 5

// try plays a game of two people who see no further than the next disc, and looks for a puzzle in the
// middle of it: on 7x6, with 10 to 28 discs. Except in puzzles of one disc, the player's first disc neither
// wins nor blocks. The error is [ErrNoPuzzle] if there is no puzzle.
func (m maker) try(ctx context.Context, discs int) (Puzzle, error) {
	g, _ := board.NewGame(m.rules, board.Red)
	cells := m.rules.Cells()
	for p := g.Position(); p.Outcome() == board.Playing && p.Ply() <= cells*2/3; p = g.Position() {
		wins, blocks, others := near(p)
		legal := slices.Collect(p.LegalMoves())
		fits := len(wins)+len(blocks) == 0
		if discs == 1 {
			fits = len(wins) == 1
		}
		if fits && p.Ply() >= max(cells/4, cells-mostEmpty) && len(legal) >= min(fewestOpen, m.rules.Columns) {
			found, err := exactly(ctx, m.solver, g, discs)
			switch {
			case err == nil:
				return found, nil
			case !errors.Is(err, ErrNoPuzzle) && !errors.Is(err, solver.ErrNodes):
				return Puzzle{}, err
			}
		}
		for _, columns := range [][]int{wins, blocks, others, legal} {
			if len(columns) > 0 {
				_ = g.Play(columns[m.chance.IntN(len(columns))])
				break
			}
		}
	}
	return Puzzle{}, ErrNoPuzzle
}

// mostEmpty is the number of empty cells with which the solver is quick enough.
const mostEmpty = 38

// near returns the columns that win at once, those that block, and those after which nobody wins or
// blocks above the disc.
func near(p board.Position) (wins, blocks, others []int) {
	mine, theirs := p.Threats(p.Turn()), p.Threats(p.Turn().Other())
	for col := range p.LegalMoves() {
		row := p.Height(col)
		if mine.Has(col, row) {
			wins = append(wins, col)
		}
		if theirs.Has(col, row) {
			blocks = append(blocks, col)
		}
		if !mine.Has(col, row+1) && !theirs.Has(col, row+1) {
			others = append(others, col)
		}
	}
	return wins, blocks, others
}

// Join yields the puzzles of a sequence, up to an error, before those of another.
func Join(some, others iter.Seq2[Puzzle, error]) iter.Seq2[Puzzle, error] {
	return func(yield func(Puzzle, error) bool) {
		for p, err := range some {
			if err != nil {
				break
			}
			if !yield(p, nil) {
				return
			}
		}
		others(yield)
	}
}
