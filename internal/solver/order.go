package solver

import "math/bits"

// state is a position as the search sees it. Dead cells may be among those that
// complete a line, or not: they are never filled.
type state struct {
	mover, other uint64 // discs of the side to move and of the other
	wins         uint64 // empty cells with which the side to move completes a line
	threats      uint64 // and the other side
}

// play is the state after a disc in the cell.
func (s state) play(cell uint64) state {
	return s.child(cell, completing(s.mover|cell)&all&^(s.mover|s.other|cell))
}

// child is the state after a disc in the cell, which gives the mover these wins.
func (s state) child(cell, wins uint64) state {
	return state{mover: s.other, other: s.mover | cell, wins: s.threats &^ cell, threats: wins}
}

// key is the table's key of the state, the same for its mirror image early in the
// game: later both sides of a board are seldom met.
func (s state) key(ply int) uint64 {
	key := s.mover<<1 + s.other
	if ply <= mirrorPly {
		return min(key, mirrored(key))
	}
	return key
}

const mirrorPly = 12

// candidates are the moves that a search tries, best first. They live in the
// Solver, a list a ply, so that none is allocated or cleared.
type candidates struct {
	n     int
	order [8]uint32 // how promising a move is, above its index
	cell  [8]uint64
	wins  [8]uint64 // the mover's winning cells after it
	hash  [8]uint64 // the position's after it
}

// What makes a move promising, in measured weights: the cells that would complete
// a line after it, other than those above an enemy's, which are never reached;
// not to fill the cell under one's own winning cell; the middle columns, which
// more lines run through, and which matters more than all else; and for the
// second player an even cell.
const (
	perWin    = 16
	perColumn = 2
	underWin  = 16
	perEven   = 3
)

// list sorts the given moves. Where one of them makes two threats at once, or one
// upon another, it wins, and the list ends: won is true.
func (c *candidates) list(s state, moves, open, live uint64, ply int) (won bool) {
	c.n = 0
	useless := s.threats << 1
	evenWorth := ply & 1 * perEven
	for ; moves != 0; moves &= moves - 1 {
		cell := moves & -moves
		wins := completing(s.mover|cell) & live &^ cell
		if now := wins & (open | cell<<1); now&(now-1)|now<<1&wins != 0 {
			return true
		}

		at := bits.TrailingZeros64(cell)
		column := at >> 3
		worth := perWin*bits.OnesCount64(wins&^useless) + perColumn*min(column, columns-1-column) + at&1*evenWorth
		if cell<<1&s.wins != 0 { // which was counted above: no worth is below zero
			worth -= underWin
		}

		i := c.n & 7
		c.cell[i], c.wins[i] = cell, wins
		c.hash[i] = hash(s.child(cell, wins).key(ply + 1))
		entry := uint32(worth<<3 | i)
		for i > 0 && c.order[i-1] < entry {
			c.order[i] = c.order[i-1]
			i--
		}
		c.order[i] = entry
		c.n++
	}
	return false
}
