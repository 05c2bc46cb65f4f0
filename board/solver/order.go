package solver

import "math/bits"

// state is a position in the search. wins and threats may include dead cells, which are
// never filled.
type state struct {
	mover, other uint64 // discs of the side to move and of the other side
	wins         uint64 // empty cells with which the side to move completes a line
	threats      uint64 // empty cells with which the other side completes a line
}

func (g *geometry) canWin(s state) bool { return s.wins&g.playable(s.mover|s.other) != 0 }

// moves returns the open cells (playable now) and, of those, the moves after which the
// other side cannot win at once. The side to move must not be able to win at once.
func (g *geometry) moves(s state) (open, moves uint64) {
	open = g.playable(s.mover | s.other)
	moves = open &^ (s.threats >> 1) // not under a threat
	if forced := open & s.threats; forced != 0 {
		moves &= forced
		if forced&(forced-1) != 0 {
			moves = 0
		}
	}
	return open, moves
}

func (g *geometry) live(s state) uint64 {
	return g.all &^ (s.mover | s.other) &^ dead(s.wins, s.threats)
}

func (g *geometry) play(s state, cell uint64) state {
	return s.child(cell, s.wins|g.through(s.mover, bits.TrailingZeros64(cell))&g.all&^(s.mover|s.other|cell))
}

// child returns the state after a disc in the cell, given the cells with which the mover
// then wins.
func (s state) child(cell, wins uint64) state {
	return state{mover: s.other, other: s.mover | cell, wins: s.threats &^ cell, threats: wins}
}

// key identifies a state in the table. Up to mirrorPly, mirror images share a key; later a search
// rarely meets both.
//
// Each way to fill up to seven cells of a column has its own sum of the mover's discs and all
// discs, at most 2·(2⁷-1), so nothing carries into the next column. In a full column of eight cells
// only the mover's discs count; more has a bit for each such column, and the eighth column's sum.
// So the lower 56 bits of the sum and more determine the state.
func (g *geometry) key(s state, ply int) (hash uint64, more uint16) {
	full := (s.mover | s.other) >> 7 & floor
	sum := s.mover + (s.mover|s.other)&^(full*0xff)
	if m := g.mirrored(sum); ply <= mirrorPly && m < sum {
		sum, full = m, g.mirrored(full)
	}
	more = uint16(full*0x0102040810204080>>56)<<8 | uint16(sum>>keyBits)
	return sum<<(64-keyBits)*golden + uint64(more)*golden<<(64-keyBits), more
}

const mirrorPly = 12

// plainKey is the key from plainKeyPly on.
func (s state) plainKey() (hash uint64) { return (s.mover<<1 + s.other) << (64 - keyBits) * golden }

// candidates are the moves that a search tries, most promising first. The Solver has one
// list per ply, so that none is allocated or cleared.
type candidates struct {
	n     int
	order [8]uint32 // the number of a move's cell in the lower cellBits, its priority above
	wins  [8]uint64 // by column: the cells with which the mover wins after the move
}

func (c *candidates) after(s state, entry uint32) state {
	cell := cellOf(entry)
	return s.child(1<<cell, c.wins[cell>>3])
}

const cellBits = 6

func cellOf(entry uint32) int { return int(entry & (1<<cellBits - 1)) }

// weights make up the priority of a move. win is
// added for each new cell that completes a line, unless that cell is right above a threat
// of the other side and therefore of no use. under is subtracted for a move right below a
// winning cell of the same side. cell has a number for each cell. These numbers are highest
// in the middle columns, through which most lines go, and, for the follower, in upper cells.
// While there are few discs, the success rates of the [history], times historyWeight, are added;
// at later plies this would cost more than it saves.
type weights struct {
	win, under int
	cell       [64]uint8
}

// cells7x6 has the numbers of the standard board's cells, for the leader and for the follower, by the
// column's distance from the edge and the row. They come from trials: a small random change was kept if
// random positions, mostly openings, took fewer nodes.
var cells7x6 = [2][4][6]uint8{{
	{117, 112, 119, 121, 114, 123},
	{121, 123, 128, 124, 123, 124},
	{127, 127, 137, 138, 132, 131},
	{152, 143, 159, 144, 154, 140},
}, {
	{117, 123, 119, 133, 113, 134},
	{120, 131, 128, 143, 127, 145},
	{129, 150, 140, 148, 135, 144},
	{147, 155, 155, 164, 151, 157},
}}

const historyWeight = 24

func weightsFor(columns, rows int) (w [2]weights) {
	for side := range w {
		w[side].win, w[side].under = 60-6*side, 82-6*side
		for column := range columns {
			edge := min(column, columns-1-column)
			for row := range rows {
				value := 117 + 7*edge + min(row, rows-1-row)
				if edge == (columns-1)/2 {
					value += 14
				}
				if side == 1 && (rows-row)&1 != 0 {
					value += 12
				}
				if columns == 7 && rows == 6 {
					value = int(cells7x6[side][edge][row])
				}
				w[side].cell[8*column+row] = uint8(value)
			}
		}
	}
	return w
}

// sort lists the given moves, most promising first. If one of them makes two threats at
// once, or two in adjacent cells of a column, it wins: won is true and the list is invalid.
func (c *candidates) sort(g *geometry, s state, moves, open, live uint64, ply, last int, h *history) (won bool) {
	for rest := moves; rest != 0; rest &= rest - 1 {
		number := bits.TrailingZeros64(rest) & 63
		wins := (s.wins | g.through(s.mover, number)) & live
		now := wins & (open | rest&-rest<<1)
		if now&(now-1)|now<<1&wins != 0 {
			return true
		}
		c.wins[number>>3] = wins
	}

	useless := s.wins | s.threats<<1
	weights := &g.weights[(g.cells-ply)&1]
	bySide, byPly, byReply := &h.side[ply&1], &h.ply[ply&63], &h.reply[ply&1][last&63]
	n := 0
	for ; moves != 0; moves &= moves - 1 {
		number := bits.TrailingZeros64(moves) & 63
		priority := int(weights.cell[number])
		if ply < g.historyPly {
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
func (g *geometry) forcesWin(s state, moves, open, live uint64) bool {
	for ; moves != 0; moves &= moves - 1 {
		cell := moves & -moves
		wins := (s.wins | g.through(s.mover, bits.TrailingZeros64(moves)&63)) & live
		replies := open ^ cell | cell<<1&g.raised
		if now := wins & replies; now&(now-1)|now<<1&wins != 0 || replies&^(wins>>1) == 0 {
			return true
		}
	}
	return false
}

// survives reports whether after one of the given moves the other side cannot force a
// win with the disc after its next.
func (g *geometry) survives(s state, moves uint64) bool {
	for _, column := range g.fromMiddle[:g.columns] {
		cell := moves & (0xff << (8 * column & 63))
		if cell == 0 {
			continue
		}
		after := g.play(s, cell)
		open, replies := g.moves(after)
		if !g.forcesWin(after, replies, open, g.live(after)) {
			return true
		}
	}
	return false
}

// history remembers which moves have been good in the search so far. In each node, the
// move that reached beta is good, and those tried before it are bad. Each cell has success
// rates of the moves there, in which the latest moves have the most weight: by side to
// move, by ply, and by side and the cell of the other side's last disc.
type history struct {
	side  [2][64]uint16
	ply   [64][64]uint16
	reply [2][64][64]uint16
}

const (
	rateBits   = 10 // a rate of 1 is 1<<rateBits
	learnShift = 2  // each move changes a rate by 1/2^learnShift of its distance to 0 or 1
)

// noCell stands for the cell of the last disc at the root, where that cell is not known.
const noCell = 63

// learn remembers a good move and the bad ones before it; last is the cell of the last
// disc.
func (h *history) learn(ply, last int, bad []uint32, good uint32) {
	side, at, reply := &h.side[ply&1], &h.ply[ply&63], &h.reply[ply&1][last&63]
	for _, entry := range bad {
		cell := cellOf(entry)
		side[cell] -= side[cell] >> learnShift
		at[cell] -= at[cell] >> learnShift
		reply[cell] -= reply[cell] >> learnShift
	}
	cell := cellOf(good)
	side[cell] += (1<<rateBits - side[cell]) >> learnShift
	at[cell] += (1<<rateBits - at[cell]) >> learnShift
	reply[cell] += (1<<rateBits - reply[cell]) >> learnShift
}
