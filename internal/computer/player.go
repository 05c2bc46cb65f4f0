package computer

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/match"
)

// Errors of [Computer.Choose].
var (
	ErrOver  = errors.New("computer: the game is over")
	ErrLevel = errors.New("computer: no such level")
)

// Choose returns the column that a level plays. The same level, position and seed give the
// same column on every machine. The error is [ErrOver], [ErrLevel] or the context's.
func (c *Computer) Choose(ctx context.Context, level match.Level, p board.Position, seed uint64) (int, error) {
	if p.Outcome() != board.Playing {
		return 0, ErrOver
	}
	chance := rand.New(rand.NewPCG(seed, uint64(p.Ply())))
	switch level {
	case match.Novice, match.Beginner, match.Easy:
		return oneDisc(chance, p, level), nil
	case match.Medium:
		depth := mediumDepth
		if chance.IntN(mediumSlips) == 0 {
			depth = mediumSlip
		}
		e := estimator{ctx, estimateNodes}
		scores, ok := e.columns(p, depth)
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if !ok { // a large board with long lines
			return oneDisc(chance, p, match.Easy), nil
		}
		return central(chance, p, scores), nil
	case match.Hard:
		return farthest(ctx, chance, p, estimateNodes)
	case match.Perfect:
		return c.perfect(ctx, chance, p)
	}
	return 0, ErrLevel
}

// Medium searches four plies, two of each side. One time in five, at random, it searches only
// two plies.
const (
	mediumDepth = 4
	mediumSlip  = 2
	mediumSlips = 5
)

const (
	// perfectNodes limits each search of the solver for a move, in positions: about two seconds on
	// a PC, which one position in thousands needs. On the standard board, the opening book makes it
	// more than enough, and on 8x8 it is with solvedPly discs or more.
	perfectNodes = 16_000_000
	solvedPly    = 24

	// earlyNodes is the limit with fewer discs, and for scores on other boards. Four times as many
	// would solve a tenth more of the early positions.
	earlyNodes = 1_000_000

	// scoreNodes limits the positions visited for the outcome for the score to be searched too,
	// which takes several times as many.
	scoreNodes = 250_000

	// mostEmpty is the number of empty cells from which perfect and hints ask the solver. With more,
	// hardly any position is solved with so few nodes.
	mostEmpty = 46

	// perfectGames is the number of games from which perfect estimates what the solver does not find:
	// about as much work as half a million positions.
	perfectGames = 100_000

	// unsolvedNodes is how many positions perfect searches for lines of other lengths than four.
	unsolvedNodes = 8 * estimateNodes
)

// perfect plays one of the best columns if the solver finds them, or else one that keeps the
// outcome, or else the most promising one. A search that fails lacks nodes, or the context is done, and
// then the last step fails too.
func (c *Computer) perfect(ctx context.Context, chance *rand.Rand, p board.Position) (int, error) {
	rules, s := p.Rules(), c.exact()
	if rules.Connect != board.Standard.Connect {
		return farthest(ctx, chance, p, unsolvedNodes)
	}
	keeps, score := -1, rules == board.Standard
	if !score {
		c.Forget()
		if rules.Cells()-p.Ply() <= mostEmpty {
			if p.Ply() < solvedPly {
				s.Limit(earlyNodes)
			}
			if o, err := s.Outcome(ctx, p); err == nil {
				score = o.Nodes <= scoreNodes
				if o.Value >= 0 {
					keeps = o.Column
				}
			}
			s.Limit(earlyNodes)
		}
	}
	if score {
		if _, best, err := s.Best(ctx, p); err == nil {
			return oneOf(chance, best), nil
		}
	}
	if keeps >= 0 {
		return keeps, ctx.Err()
	}
	e, err := s.Estimate(ctx, p, perfectGames, chance.Uint64())
	return e.Best, err
}

// Score returns the exact score of a position. It uses the solver of the perfect level, whose table
// makes it faster. The errors are those of [solver.Solver.Solve].
func (c *Computer) Score(ctx context.Context, p board.Position) (int, error) {
	r, err := c.exact().Solve(ctx, p)
	return r.Score, err
}

// Forget makes later answers independent of earlier ones: on large boards, what the solver remembers
// decides what it finds within its limits.
func (c *Computer) Forget() {
	if c.solver != nil {
		c.solver.Reset()
	}
}

// exact returns the solver, which perfect and Score share.
func (c *Computer) exact() *solver.Solver {
	if c.solver == nil {
		c.solver = solver.New(solver.Options{Table: c.Table})
	}
	c.solver.Limit(perfectNodes)
	return c.solver
}

// farthest searches as many plies as a budget of positions allows, and returns one of the
// best columns.
func farthest(ctx context.Context, chance *rand.Rand, p board.Position, nodes int) (int, error) {
	scores, _, err := estimate(ctx, p, nodes)
	if err != nil {
		return 0, err
	}
	return central(chance, p, scores), nil
}

// oneDisc returns a column that wins at once, or else one that blocks, or else any column, as far as
// the level notices wins and blocks.
func oneDisc(chance *rand.Rand, p board.Position, level match.Level) int {
	sees := func() bool { return level == match.Easy || level == match.Beginner && chance.IntN(2) == 0 }
	mine, theirs := p.Threats(p.Turn()), p.Threats(p.Turn().Other())
	var wins, blocks []int
	for col := range p.LegalMoves() {
		if mine.Has(col, p.Height(col)) && sees() {
			wins = append(wins, col)
		}
		if theirs.Has(col, p.Height(col)) && sees() {
			blocks = append(blocks, col)
		}
	}
	switch {
	case len(wins) > 0:
		return oneOf(chance, wins)
	case len(blocks) > 0:
		return oneOf(chance, blocks)
	}
	return oneOf(chance, slices.Collect(p.LegalMoves()))
}

// central chooses one of the best columns at random. The more lines go through a column's next
// cell, the more likely central chooses the column.
func central(chance *rand.Rand, p board.Position, scores [board.MaxSide]int) int {
	best := -p.Rules().Cells()
	for col := range p.LegalMoves() {
		best = max(best, scores[col])
	}
	var columns []int
	for col := range p.LegalMoves() {
		if scores[col] == best {
			for range linesThrough(p.Rules(), col, p.Height(col)) + 1 {
				columns = append(columns, col)
			}
		}
	}
	return oneOf(chance, columns)
}

func linesThrough(r board.Rules, col, row int) (n int) {
	for _, d := range [4][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}} {
		for back := range r.Connect {
			c0, r0 := col-back*d[0], row-back*d[1]
			c1, r1 := c0+(r.Connect-1)*d[0], r0+(r.Connect-1)*d[1]
			if min(c0, c1) >= 0 && max(c0, c1) < r.Columns && min(r0, r1) >= 0 && max(r0, r1) < r.Rows {
				n++
			}
		}
	}
	return n
}

func oneOf(chance *rand.Rand, columns []int) int { return columns[chance.IntN(len(columns))] }
