package cpu

import (
	"context"
	"errors"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/solver"
)

// adviceNodes is how many positions are looked at for an exact hint: what does not
// take more is some two seconds on a Pi Zero 2 W.
const adviceNodes = 5_000_000

// adviceTable is enough for so many positions, in bytes.
const adviceTable = 8 << 20

// Advise is what each column is worth to the side to move. On the standard board
// that is exact where it does not take too long, as the solver has it, and it hardly
// ever does; elsewhere it is an [estimate].
func (pl *Player) Advise(ctx context.Context, p board.Position) (scores [board.MaxSide]int, exact bool, err error) {
	return pl.advise(ctx, p, adviceNodes)
}

// advise is [Player.Advise] with another budget of nodes.
func (pl *Player) advise(ctx context.Context, p board.Position, nodes uint64) (scores [board.MaxSide]int, exact bool, err error) {
	if p.Rules() != board.Standard {
		return estimate(ctx, p, estimateNodes)
	}
	if pl.adviser == nil {
		pl.adviser = solver.New(solver.Options{Table: adviceTable, Nodes: nodes})
	}
	pl.adviser.Reset() // or what is known exactly would depend on what was asked before
	a, err := pl.adviser.Analyse(ctx, p)
	if errors.Is(err, solver.ErrNodes) {
		return estimate(ctx, p, estimateNodes)
	}
	copy(scores[:], a.Columns[:])
	return scores, err == nil, err
}
