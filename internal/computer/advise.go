package computer

import (
	"context"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/computer/analysis"
	"github.com/c4hat/c4hat/internal/game"
)

// adviceNodes limits the positions that each thread of the solver visits for a hint: a few seconds on
// a Pi Zero 2 W.
const adviceNodes = 5_000_000

// adviceTable is the size in bytes of a table for adviceNodes positions.
const adviceTable = 8 << 20

// Advise returns the score of each column for the side to move in a position. If the solver finds them
// within its limit, the scores are exact, and the best column has a reason. Otherwise they are an
// [estimate], in which columns whose outcome the solver found have a score of that sign.
func (c *Computer) Advise(ctx context.Context, p board.Position) (advice game.Advice, err error) {
	rules := p.Rules()
	if rules.Connect != board.Standard.Connect || rules != board.Standard && rules.Cells()-p.Ply() > mostEmpty {
		advice.Score, advice.Exact, err = estimate(ctx, p, estimateNodes)
		return advice, err
	}
	if c.adviser == nil {
		c.adviser = solver.New(solver.Options{Table: adviceTable, Nodes: adviceNodes, Threads: spare()})
	}
	c.adviser.Reset() // otherwise earlier hints would decide whether this one is exact
	if a, err := c.adviser.Analyse(ctx, p); err == nil {
		advice = game.Advice{Score: a.Columns, Exact: true}
		advice.Why = analysis.Why(ctx, c.adviser, p, a, advice.Best(p))
		return advice, nil
	}
	o, _ := c.adviser.Outcomes(ctx, p) // those found so far; if the context is done, the estimate fails
	if advice.Score, advice.Exact, err = estimate(ctx, p, estimateNodes); err != nil || advice.Exact {
		return advice, err
	}
	for col, known := range o.Known {
		if known && advice.Score[col] == 0 {
			advice.Score[col] = o.Columns[col]
		}
	}
	return advice, nil
}
