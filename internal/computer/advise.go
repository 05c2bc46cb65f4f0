package computer

import (
	"context"
	"errors"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
)

// adviceNodes limits the positions that each thread of the solver visits for a hint: about two
// seconds on a Pi Zero 2 W.
const adviceNodes = 5_000_000

// adviceTable is the size in bytes of a table for adviceNodes positions.
const adviceTable = 8 << 20

// Advise returns the score of each column for the side to move. On the standard board the scores
// are the solver's, and exact. On other boards, and in the rare case that the solver's search takes
// too long, they are an [estimate].
func (c *Computer) Advise(ctx context.Context, p board.Position) (scores [board.MaxSide]int, exact bool, err error) {
	if p.Rules() != board.Standard {
		return estimate(ctx, p, estimateNodes)
	}
	if c.adviser == nil {
		c.adviser = solver.New(solver.Options{Table: adviceTable, Nodes: adviceNodes, Threads: spare()})
	}
	c.adviser.Reset() // otherwise earlier hints would decide whether this one is exact
	a, err := c.adviser.Analyse(ctx, p)
	if errors.Is(err, solver.ErrNodes) {
		return estimate(ctx, p, estimateNodes)
	}
	copy(scores[:], a.Columns[:])
	return scores, err == nil, err
}
