package solver

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
