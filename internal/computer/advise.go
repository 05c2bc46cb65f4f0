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

// Advise returns the score of each column for the side to move. If the solver finds them within
// its limit, the scores are exact. Otherwise they are an [estimate], in which columns whose outcome
// the solver found have a score of that sign.
func (c *Computer) Advise(ctx context.Context, p board.Position) (scores [board.MaxSide]int, exact bool, err error) {
	rules := p.Rules()
	if rules.Connect != board.Standard.Connect || rules != board.Standard && rules.Cells()-p.Ply() > mostEmpty {
		return estimate(ctx, p, estimateNodes)
	}
	if c.adviser == nil {
		c.adviser = solver.New(solver.Options{Table: adviceTable, Nodes: adviceNodes, Threads: spare()})
	}
	c.adviser.Reset() // otherwise earlier hints would decide whether this one is exact
	a, err := c.adviser.Analyse(ctx, p)
	if !errors.Is(err, solver.ErrNodes) {
		return a.Columns, err == nil, err
	}
	o, err := c.adviser.Outcomes(ctx, p)
	if err != nil && !errors.Is(err, solver.ErrNodes) {
		return scores, false, err
	}
	if scores, exact, err = estimate(ctx, p, estimateNodes); err != nil || exact {
		return scores, exact, err
	}
	for col, known := range o.Known {
		if known && scores[col] == 0 {
			scores[col] = o.Columns[col]
		}
	}
	return scores, false, nil
}
