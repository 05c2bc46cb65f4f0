package solver

// history remembers which moves have been good in the search so far. A good move is the
// first one that reached beta; those tried before it were bad. It has the share of good
// ones of each cell, the latest counting most: by the side to move, by ply, and by the side
// and the cell of the other side's last disc.
type history struct {
	side  [2][64]uint16
	ply   [pastPly][64]uint16
	reply [2][64][64]uint16
}

const (
	shareBits = 10 // a share of 1 is 1<<shareBits
	slow      = 2  // log2 of how slowly a share follows
)

// noCell stands for the last disc where it is not known: at the root.
const noCell = 63

// learn remembers a good move and the bad ones before it; last is the cell of the disc
// before.
func (h *history) learn(ply, last int, bad []uint32, good uint32) {
	side, at, reply := &h.side[ply&1], &h.ply[ply], &h.reply[ply&1][last&63]
	for _, entry := range bad {
		cell := entry & (1<<cellBits - 1)
		side[cell] -= side[cell] >> slow
		at[cell] -= at[cell] >> slow
		reply[cell] -= reply[cell] >> slow
	}
	cell := good & (1<<cellBits - 1)
	side[cell] += (1<<shareBits - side[cell]) >> slow
	at[cell] += (1<<shareBits - at[cell]) >> slow
	reply[cell] += (1<<shareBits - reply[cell]) >> slow
}
