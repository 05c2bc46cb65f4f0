package book

import "math/bits"

// The positions with the same number of discs are numbered without gaps, which keeps the
// differences in a sorted list small:
//
//	rank     rank of the heights times the number of colourings, plus rank of the
//	         colouring
//	heights  of the seven columns, among all ways to distribute the discs,
//	         in lexicographic order
//	colours  which of the discs, counted upwards and from left to right,
//	         are the mover's: a rank in the combinatorial number system
//
// A position and its mirror image share the smaller of their two ranks.
const (
	columns = 7
	rows    = 6

	// MaxPly is the last ply that a book can have: ranks of later plies exceed 32 bits.
	MaxPly = 17
)

// Rank returns the number of discs of a position and its rank among all positions with
// that many. The sets are the discs of the side to move and of the other side, eight bits
// per column with row 0 lowest.
func Rank(mover, other uint64) (ply int, rank uint32) {
	ply = bits.OnesCount64(mover | other)
	if ply > MaxPly {
		return ply, 0
	}
	return ply, min(rankOf(mover, mover|other, ply), rankOf(mirrored(mover), mirrored(mover|other), ply))
}

func rankOf(mover, taken uint64, ply int) uint32 {
	var heights, colours uint32
	left, disc, movers := ply, 0, 0
	for column := range columns {
		height := bits.OnesCount8(uint8(taken >> (8 * column)))
		heights += ways.below[columns-1-column][left][height]
		left -= height
		for discs := uint8(mover >> (8 * column)); discs != 0; discs &= discs - 1 {
			movers++
			colours += ways.choose[disc+bits.TrailingZeros8(discs)][movers]
		}
		disc += height
	}
	return heights*ways.choose[ply][ply/2] + colours
}

// Unrank returns the position with the rank. It is the inverse of [Rank], up to mirror images.
func Unrank(ply int, rank uint32) (mover, other uint64) {
	colours := rank % ways.choose[ply][ply/2]
	rank /= ways.choose[ply][ply/2]
	var taken uint64
	left := ply
	for column := range columns {
		below := &ways.below[columns-1-column][left]
		height := min(rows, left)
		for below[height] > rank {
			height--
		}
		rank -= below[height]
		left -= height
		taken |= (1<<height - 1) << (8 * column)
	}
	rest, disc := taken, ply
	for movers := ply / 2; disc > 0; {
		disc--
		top := uint64(1) << (63 - bits.LeadingZeros64(rest))
		rest &^= top
		if movers > 0 && ways.choose[disc][movers] <= colours {
			colours -= ways.choose[disc][movers]
			movers--
			mover |= top
		}
	}
	return mover, taken &^ mover
}

// Ranks returns the number of ranks of a ply.
func Ranks(ply int) uint32 {
	return ways.below[columns-1][ply][rows+1] * ways.choose[ply][ply/2]
}

// ways has the numbers that make up ranks.
var ways = count()

type counts struct {
	choose [MaxPly + 1][MaxPly + 1]uint32
	// below[c][n][h] is the number of ways to distribute n discs over c+1 columns, with
	// fewer than h discs in the first.
	below [columns][MaxPly + 1][rows + 2]uint32
}

func count() (c counts) {
	for n := range c.choose {
		c.choose[n][0] = 1
		for k := 1; k <= n; k++ {
			c.choose[n][k] = c.choose[n-1][k-1] + c.choose[n-1][k]
		}
	}
	for after := range c.below {
		for discs := range c.below[after] {
			below := &c.below[after][discs]
			for height := range rows + 1 {
				below[height+1] = below[height]
				switch {
				case height > discs:
				case after > 0:
					below[height+1] += c.below[after-1][discs-height][rows+1]
				case height == discs:
					below[height+1]++
				}
			}
		}
	}
	return c
}

// mirrored returns the mirror image of a set: column 0 becomes column 6.
func mirrored(b uint64) uint64 { return bits.ReverseBytes64(b) >> 8 }
