package cpu

import (
	"context"

	"github.com/c4hat/c4hat/board"
)

// estimateNodes bounds the work of an [estimate]: some 100 ms on a Pi Zero 2 W.
// It counts positions, not time, so the answer is the same on every machine.
const estimateNodes = 1_000_000

// estimate is what each column is worth to the side to move, on a board of any size.
// It looks as many plies ahead as its budget of positions allows and sees nothing
// beyond: what is open there counts as a draw.
//
// A score is the field's usual one: above zero the side to move wins, with that
// many discs in hand counting the winning one, below it loses likewise. Full
// columns score 0. exact says that it saw every line to its end. The error is the
// context's.
func estimate(ctx context.Context, p board.Position, nodes int) (scores [board.MaxSide]int, exact bool, err error) {
	e := estimator{ctx: ctx, budget: nodes}
	left := p.Rules().Cells() - p.Ply()
	for depth := 1; depth <= left; depth++ {
		deeper, ok := e.columns(p, depth)
		if err := ctx.Err(); err != nil {
			return scores, false, err
		}
		if !ok {
			return scores, false, nil
		}
		scores = deeper
	}
	return scores, true, nil
}

type estimator struct {
	ctx    context.Context
	budget int
	nodes  int
}

// columns scores every column at a depth; ok is false where the budget ran out.
func (e *estimator) columns(p board.Position, depth int) (scores [board.MaxSide]int, ok bool) {
	bound := p.Rules().Cells()
	for col := range p.LegalMoves() {
		score, ok := e.search(p, col, depth, -bound, bound)
		if !ok {
			return scores, false
		}
		scores[col] = score
	}
	return scores, true
}

// search is the score of dropping a disc into the column: alpha-beta to a depth.
func (e *estimator) search(p board.Position, col, depth, alpha, beta int) (score int, ok bool) {
	e.nodes++
	if e.nodes > e.budget || e.nodes%1024 == 0 && e.ctx.Err() != nil {
		return 0, false
	}
	next, err := p.Drop(col)
	if err != nil {
		return 0, false
	}
	switch next.Outcome() {
	case board.Draw:
		return 0, true
	case board.Playing:
	default:
		return inHand(p), true
	}
	if depth == 1 {
		return 0, true
	}
	best := -p.Rules().Cells()
	columns := p.Rules().Columns
	for i := range columns {
		reply := fromMiddle(columns, i)
		if !next.Legal(reply) {
			continue
		}
		score, ok := e.search(next, reply, depth-1, -beta, -alpha)
		if !ok {
			return 0, false
		}
		best = max(best, score)
		beta = min(beta, -best)
		if alpha >= beta {
			break
		}
	}
	return -best, true
}

// inHand is the score of winning with the next disc: the discs that the winner
// has left, that one included.
func inHand(p board.Position) int { return (p.Rules().Cells() + 1 - p.Ply()) / 2 }

// fromMiddle is the i-th column from the middle outwards: the middle takes part
// in most lines, so the best replies are found early.
func fromMiddle(columns, i int) int {
	middle := (columns - 1) / 2
	if i%2 == 0 {
		return middle - i/2
	}
	return middle + (i+1)/2
}
