package solver

import (
	"context"
	"math"
	"math/bits"

	"github.com/c4hat/c4hat/board"
)

// Estimate says how promising the columns of a position are.
type Estimate struct {
	Columns [board.MaxSide]float64 // the share of the games that the side to move won; a draw counts half
	Best    int                    // the most promising column, or -1 on a full board
}

// Estimate plays games from a position that is too early to solve, and grows a tree of those in which a
// side does well (Kocsis and Szepesvári, Bandit Based Monte-Carlo Planning, 2006). Moves are random, but
// each side sees that the next disc wins or loses, and keeps its threats while it has other moves.
// So the games show who first runs out of harmless moves. The rules bound the outcomes of the positions
// in the tree, which takes 5 MiB. A game takes about as long as four nodes; 100 000 games are plenty. The
// same seed gives the same estimate on every machine. The conditions and errors are those of [Solver.Solve].
func (s *Solver) Estimate(ctx context.Context, p board.Position, games int, seed uint64) (Estimate, error) {
	e := Estimate{Best: -1}
	at, err := s.begin(ctx, p)
	if err != nil || p.Ply() == s.cells {
		return e, err
	}
	if s.tree == nil {
		s.tree = make([]leaf, 0, treeSize+len(s.lists[0].order))
	}
	t := tree{geometry: &s.geometry, leaves: append(s.tree[:0], leaf{low: -1, high: 1}), random: seed*golden | 1}
	root := &t.leaves[0]
	t.add(root, at, s.playable(at.mover|at.other))
	for n := 0; n < games && root.low < root.high; n++ {
		if n&1023 == 0 && ctx.Err() != nil {
			return e, ctx.Err()
		}
		t.visit(root, at, p.Ply())
	}
	most := math.MinInt
	for i := range t.next(root) {
		next := &t.next(root)[i]
		column, rank := int(next.cell>>3), int(next.visits)
		switch {
		case root.low > -1 && -next.high >= root.low: // proven to be best
			rank += 1 << 30
		case next.low > 0:
			rank -= 1 << 30
		}
		e.Columns[column] = 0.5 - float64(next.low+next.high)/4
		if next.visits > 0 && next.low < next.high {
			e.Columns[column] = 1 - float64(next.sum)/float64(next.visits)
		}
		if rank > most {
			most, e.Best = rank, column
		}
	}
	return e, nil
}

type tree struct {
	*geometry
	leaves []leaf
	random uint64
}

type leaf struct {
	sum       float32 // of the results of games for the side to move: 1 won, 1/2 drawn
	visits    int32
	first, n  int32 // the positions after a move
	cell      uint8 // of the last disc
	low, high int8  // bounds of the outcome for the side to move
}

const (
	treeSize    = 1 << 18
	growVisits  = 4
	exploration = 1
)

func (t *tree) next(l *leaf) []leaf { return t.leaves[l.first : l.first+l.n] }

// visit plays a game from a position, and returns its result for the side to move.
func (t *tree) visit(l *leaf, at state, ply int) (result float32) {
	if l.n == 0 && l.low < l.high && l.visits >= growVisits && len(t.leaves) <= treeSize {
		t.grow(l, at, ply)
	}
	switch {
	case l.low == l.high:
		result = 0.5 + float32(l.low)/2
	case l.n > 0:
		next := t.choose(l)
		result = 1 - t.visit(next, t.play(at, 1<<next.cell), ply+1)
		low, high := int8(-1), int8(-1)
		for _, next := range t.next(l) {
			low, high = max(low, -next.high), max(high, -next.low)
		}
		l.low, l.high = max(l.low, low), min(l.high, high)
	default:
		result = min(max(t.game(at, ply), 0.5+float32(l.low)/2), 0.5+float32(l.high)/2)
	}
	l.visits++
	l.sum += result
	return result
}

// choose returns the position to visit next: one with good results or few visits. It uses no function
// that differs from machine to machine.
func (t *tree) choose(l *leaf) (best *leaf) {
	most := float32(-1)
	spread := exploration * float32(math.Sqrt(0.7*float64(bits.Len32(uint32(l.visits)))))
	next := t.next(l)
	for i := range next {
		visits, worth := float32(next[i].visits), float32(10)
		switch {
		case next[i].low > 0: // it loses
			worth = -0.5
		case visits > 0:
			worth = 1 - next[i].sum/visits + spread/float32(math.Sqrt(float64(visits)))
		}
		if worth > most {
			best, most = &next[i], worth
		}
	}
	return best
}

// grow bounds the outcome of a position and, if that does not decide it, adds the positions after
// each move that does not lose at once.
func (t *tree) grow(l *leaf, at state, ply int) {
	open, moves := t.moves(at)
	live := t.live(at)
	switch {
	case at.wins&open != 0:
		l.low = 1
	case moves == 0:
		l.high = -1
	case ply >= t.cells-2:
		l.low, l.high = 0, 0
	case t.forcesWin(at, moves, open, live):
		l.low = 1
	default:
		low, high := t.static(at, open, live, ply, 1)
		l.low, l.high = max(l.low, int8(min(low, 1))), min(l.high, int8(max(high, -1)))
	}
	if l.low < l.high {
		t.add(l, at, moves)
	}
}

func (t *tree) add(l *leaf, at state, moves uint64) {
	l.first, l.n = int32(len(t.leaves)), int32(bits.OnesCount64(moves))
	for ; moves != 0; moves &= moves - 1 {
		next := leaf{cell: uint8(bits.TrailingZeros64(moves)), low: -1, high: 1}
		if moves&-moves&at.wins != 0 {
			next.high, l.low = -1, 1
		}
		t.leaves = append(t.leaves, next)
	}
}

// game plays a game at random, and returns its result for the side to move.
func (t *tree) game(at state, ply int) (result float32) {
	for turn := float32(0); ; turn = 1 - turn {
		open, moves := t.moves(at)
		switch {
		case at.wins&open != 0:
			return 1 - turn
		case moves == 0:
			return turn
		case ply >= t.cells-2:
			return 0.5
		}
		if keep := moves &^ (at.wins >> 1); keep != 0 { // not below a threat of its own
			moves = keep
		}
		t.random ^= t.random << 13
		t.random ^= t.random >> 7
		t.random ^= t.random << 17
		for skip := t.random >> 32 * uint64(bits.OnesCount64(moves)) >> 32; skip > 0; skip-- {
			moves &= moves - 1
		}
		at = t.play(at, moves&-moves)
		ply++
	}
}
