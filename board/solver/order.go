package solver

import "math/bits"

// state is a position in the search. wins and threats may include dead cells, which are
// never filled.
type state struct {
	mover, other uint64 // discs of the side to move and of the other side
	wins         uint64 // empty cells with which the side to move completes a line
	threats      uint64 // empty cells with which the other side completes a line
}

// canWin reports whether the side to move can win at once.
func (s state) canWin() bool { return s.wins&playable(s.mover|s.other) != 0 }

// moves returns the open cells (playable now) and, of those, the moves after which the
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

// live returns the empty cells that are not dead.
func (s state) live() uint64 { return all &^ (s.mover | s.other) &^ dead(s.wins, s.threats) }

// play returns the state after a disc in the cell.
func (s state) play(cell uint64) state {
	return s.child(cell, s.wins|completion.through(s.mover, bits.TrailingZeros64(cell))&all&^(s.mover|s.other|cell))
}

// child returns the state after a disc in the cell, given the cells with which the mover
// then wins.
func (s state) child(cell, wins uint64) state {
	return state{mover: s.other, other: s.mover | cell, wins: s.threats &^ cell, threats: wins}
}

// key returns the state's key for the table. Up to mirrorPly, mirror images share a key;
// later a search rarely meets both.
func (s state) key(ply int) uint64 {
	key := s.mover<<1 + s.other
	if ply <= mirrorPly {
		return min(key, mirrored(key))
	}
	return key
}

const mirrorPly = 12

// candidates are the moves that a search tries, most promising first. The Solver has one
// list per ply, so that none is allocated or cleared.
type candidates struct {
	n     int
	order [8]uint32 // the number of a move's cell in the lower cellBits, its priority above
	wins  [8]uint64 // by column: the cells with which the mover wins after the move
}

// after returns the state after a move of the list.
func (c *candidates) after(s state, entry uint32) state {
	cell := cellOf(entry)
	return s.child(1<<cell, c.wins[cell>>3])
}

const cellBits = 6

func cellOf(entry uint32) int { return int(entry & (1<<cellBits - 1)) }

// weights make up the priority of a move, for the first and the second player. win is
// added for each new cell that completes a line, unless that cell is right above a threat
// of the other side and therefore of no use. under is subtracted for a move right below a
// winning cell of the same side. cell has a number for each cell. These numbers are highest
// in the middle columns, through which most lines go, and, for the second player, in even
// rows. Before historyPly, the success rates of the [history], times historyWeight, are
// added; at later plies this would cost more than it saves.
//
// The weights come from trials: a small random change was kept if random positions,
// mostly openings, took fewer nodes.
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

const (
	historyPly    = 30
	historyWeight = 24
)

// sort lists the given moves, most promising first. If one of them makes two threats at
// once, or two in adjacent cells of a column, it wins: won is true and the list is invalid.
func (c *candidates) sort(s state, moves, open, live uint64, ply, last int, h *history) (won bool) {
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
	bySide, byPly, byReply := &h.side[ply&1], &h.ply[min(ply, historyPly-1)], &h.reply[ply&1][last&63]
	n := 0
	for ; moves != 0; moves &= moves - 1 {
		number := bits.TrailingZeros64(moves) & 63
		priority := int(weights.cell[number])
		if ply < historyPly {
			rates := uint(bySide[number]) + uint(byPly[number]) + uint(byReply[number])
			priority += int(rates * historyWeight >> rateBits)
		}
		for added := c.wins[number>>3] &^ useless; added != 0; added &= added - 1 {
			priority += weights.win
		}
		if moves&-moves<<1&s.wins != 0 {
			priority -= weights.under
		}
		c.insert(n, uint32(priority<<cellBits|number))
		n++
	}
	c.n = n
	return false
}

// insert sorts a move into the first n of the list.
func (c *candidates) insert(n int, entry uint32) {
	for n > 0 && c.order[(n-1)&7] < entry {
		c.order[n&7] = c.order[(n-1)&7]
		n--
	}
	c.order[n&7] = entry
}

// forcesWin reports whether after one of the given moves the mover's next disc wins,
// whatever the reply: the move makes two threats at once, or two in adjacent cells of a
// column, or every reply is right below a threat.
func (s state) forcesWin(moves, open, live uint64) bool {
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

// survives reports whether after one of the given moves the other side cannot force a
// win with the disc after its next.
func (s state) survives(moves uint64) bool {
	for _, column := range middleFirst {
		cell := moves & (0xff << (8 * column & 63))
		if cell == 0 {
			continue
		}
		after := s.play(cell)
		open, replies := after.moves()
		if !after.forcesWin(replies, open, after.live()) {
			return true
		}
	}
	return false
}
