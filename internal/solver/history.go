package solver

// history remembers which moves have been good in the search so far. A good move is the
// first one that reached beta; those tried before it were bad. For each cell it has the
// share of good moves, in which the latest count most: by side to move, by ply, and by
// side and the cell of the other side's last disc.
type history struct {
	side  [2][64]uint16
	ply   [historyPly][64]uint16
	reply [2][64][64]uint16
}

const (
	shareBits  = 10 // a share of 1 is 1<<shareBits
	learnShift = 2  // each result moves a share by 1/2^learnShift of the distance to 0 or 1
)

// noCell stands for the last disc where it is not known: at the root.
const noCell = 63

// learn remembers a good move and the bad ones before it; last is the cell of the last
// disc.
func (h *history) learn(ply, last int, bad []uint32, good uint32) {
	side, at, reply := &h.side[ply&1], &h.ply[ply], &h.reply[ply&1][last&63]
	for _, entry := range bad {
		cell := cellOf(entry)
		side[cell] -= side[cell] >> learnShift
		at[cell] -= at[cell] >> learnShift
		reply[cell] -= reply[cell] >> learnShift
	}
	cell := cellOf(good)
	side[cell] += (1<<shareBits - side[cell]) >> learnShift
	at[cell] += (1<<shareBits - at[cell]) >> learnShift
	reply[cell] += (1<<shareBits - reply[cell]) >> learnShift
}
