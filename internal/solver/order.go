package solver

import "math/bits"

// state is a position as the search sees it. Dead cells may be among those that
// complete a line, or not: they are never filled.
type state struct {
	mover, other uint64 // discs of the side to move and of the other
	wins         uint64 // empty cells with which the side to move completes a line
	threats      uint64 // and the other side
}

// moves are the cells that a disc can fall into, and of those the ones after which the
// other side cannot win at once. The side to move must not be able to win at once.
func (s state) moves() (open, moves uint64) {
	open = playable(s.mover | s.other)
	moves = open &^ (s.threats >> 1) // not under a threat
	if forced := open & s.threats; forced != 0 {
		moves &= forced
		if forced&(forced-1) != 0 {
			moves = 0
		}
	}
	return open, moves
}

// live is the set of the empty cells that are not dead.
func (s state) live() uint64 { return all &^ (s.mover | s.other) &^ dead(s.wins, s.threats) }

// play is the state after a disc in the cell.
func (s state) play(cell uint64) state {
	return s.child(cell, s.wins|completion.through(s.mover, bits.TrailingZeros64(cell))&all&^(s.mover|s.other|cell))
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
	order [8]uint32 // how promising a move is, above its cell's number
	wins  [8]uint64 // by column: the mover's winning cells after the move
}

// after is the state after a move of the list.
func (c *candidates) after(s state, entry uint32) state {
	number := entry & (1<<cellBits - 1)
	return s.child(1<<number, c.wins[number>>3])
}

const cellBits = 6

// What makes a move promising, in weights for the first player and for the second:
// the cells that would complete a line after it, other than those above an enemy's,
// which are never reached; not to fill the cell under one's own winning cell; and
// the cell itself. The middle columns, which more lines run through, matter more
// than all else, then even cells for the second player.
//
// The weights were found by trial: small random changes of them were kept where
// random positions, openings most of all, took fewer nodes.
var weights = [2]struct {
	win, under int
	cell       [64]uint8
}{
	{win: 60, under: 82, cell: [64]uint8{
		117, 112, 119, 121, 114, 123, 0, 0,
		121, 123, 128, 124, 123, 124, 0, 0,
		127, 127, 137, 138, 132, 131, 0, 0,
		152, 143, 159, 144, 154, 140, 0, 0,
		127, 127, 137, 138, 132, 131, 0, 0,
		121, 123, 128, 124, 123, 124, 0, 0,
		117, 112, 119, 121, 114, 123, 0, 0,
	}},
	{win: 54, under: 76, cell: [64]uint8{
		117, 123, 119, 133, 113, 134, 0, 0,
		120, 131, 128, 143, 127, 145, 0, 0,
		129, 150, 140, 148, 135, 144, 0, 0,
		147, 155, 155, 164, 151, 157, 0, 0,
		129, 150, 140, 148, 135, 144, 0, 0,
		120, 131, 128, 143, 127, 145, 0, 0,
		117, 123, 119, 133, 113, 134, 0, 0,
	}},
}

// list sorts the given moves. Where one of them makes two threats at once, or one
// upon another, it wins, and the list ends: won is true.
func (c *candidates) list(s state, moves, open, live uint64, ply int) (won bool) {
	lines := completion
	for rest := moves; rest != 0; rest &= rest - 1 {
		number := bits.TrailingZeros64(rest) & 63
		wins := (s.wins | lines.through(s.mover, number)) & live
		now := wins & (open | rest&-rest<<1)
		if now&(now-1)|now<<1&wins != 0 {
			return true
		}
		c.wins[number>>3] = wins
	}

	useless := s.wins | s.threats<<1
	weights := &weights[ply&1]
	n := 0
	for ; moves != 0; moves &= moves - 1 {
		number := bits.TrailingZeros64(moves) & 63
		worth := int(weights.cell[number])
		for added := c.wins[number>>3] &^ useless; added != 0; added &= added - 1 {
			worth += weights.win
		}
		if moves&-moves<<1&s.wins != 0 {
			worth -= weights.under
		}
		entry := uint32(worth<<cellBits | number)
		i := n
		for i > 0 && c.order[(i-1)&7] < entry {
			c.order[i&7] = c.order[(i-1)&7]
			i--
		}
		c.order[i&7] = entry
		n++
	}
	c.n = n
	return false
}

// trapped says that one of the given moves wins with the mover's next disc, whatever
// the reply: it makes two threats at once, or one upon another, or leaves no reply
// that is not under a threat.
func (s state) trapped(moves, open, live uint64) bool {
	lines := completion
	for ; moves != 0; moves &= moves - 1 {
		cell := moves & -moves
		wins := (s.wins | lines.through(s.mover, bits.TrailingZeros64(moves)&63)) & live
		replies := open ^ cell | cell<<1&all
		if now := wins & replies; now&(now-1)|now<<1&wins != 0 || replies&^(wins>>1) == 0 {
			return true
		}
	}
	return false
}

// survives says that after one of the given moves the other side cannot win with its
// next disc but one, whatever the replies.
func (s state) survives(moves uint64) bool {
	for _, column := range middleFirst {
		cell := moves & (0xff << (8 * column & 63))
		if cell == 0 {
			continue
		}
		after := s.play(cell)
		open, replies := after.moves()
		if !after.trapped(replies, open, after.live()) {
			return true
		}
	}
	return false
}
