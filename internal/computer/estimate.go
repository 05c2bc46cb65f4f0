package computer

import (
	"context"

	"github.com/c4hat/c4hat/board"
)

// estimateNodes limits an [estimate], in positions: about 100 ms on a Pi Zero 2 W.
const estimateNodes = 1_000_000

// estimate returns the score of each column for the side to move, on a board of any size.
// It searches as many plies as its budget of positions allows, and scores a game that is not
// over by then as a draw.
//
// A positive score is a win for the side to move: the number of discs that side has left, including
// the winning one. A negative score is a loss, counted in the same way by the winner's discs.
// Full columns score 0. exact means that every game was searched to its end. The error is the
// context's.
func estimate(ctx context.Context, p board.Position, nodes int) (scores [board.MaxSide]int, exact bool, err error) {
	e := estimator{ctx, nodes}
	left := p.Rules().Cells() - p.Ply()
	for depth := 1; depth <= left; depth++ {
		deeper, ok := e.columns(p, depth)
		if !ok || ctx.Err() != nil {
			return scores, false, ctx.Err()
		}
		scores = deeper
	}
	return scores, true, nil
}

// estimator searches until it has no nodes left or the context is done. Then nodes is negative, and
// the scores mean nothing.
type estimator struct {
	ctx   context.Context
	nodes int
}

// columns scores every column at a depth; ok is false if the search was cut short.
func (e *estimator) columns(p board.Position, depth int) (scores [board.MaxSide]int, ok bool) {
	bound := p.Rules().Cells()
	for col := range p.LegalMoves() {
		scores[col] = e.search(p, col, depth, -bound, bound)
	}
	return scores, e.nodes >= 0
}

// search returns the score of dropping a disc into a column with room, by alpha-beta to a depth.
func (e *estimator) search(p board.Position, col, depth, alpha, beta int) int {
	if e.nodes--; e.nodes < 0 || e.nodes%1024 == 0 && e.ctx.Err() != nil {
		e.nodes = -1
		return 0
	}
	next, _ := p.Drop(col)
	switch outcome := next.Outcome(); {
	case outcome.Winner() != board.Empty:
		return (p.Rules().Cells() + 1 - p.Ply()) / 2 // the discs that the winner has left, including this one
	case outcome == board.Draw, depth == 1:
		return 0
	}
	best := -p.Rules().Cells()
	columns := p.Rules().Columns
	for i := range columns {
		reply := fromMiddle(columns, i)
		if !next.Legal(reply) {
			continue
		}
		best = max(best, e.search(next, reply, depth-1, -beta, -alpha))
		beta = min(beta, -best)
		if alpha >= beta {
			break
		}
	}
	return -best
}

// fromMiddle returns the i-th column, from 0, counted from the middle outwards. Most lines go
// through the middle, so this order finds the best replies early.
func fromMiddle(columns, i int) int {
	middle := (columns - 1) / 2
	if i%2 == 0 {
		return middle - i/2
	}
	return middle + (i+1)/2
}
