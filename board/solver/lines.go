package solver

import "math/bits"

// The standard board as a bit set, eight bits per column with row 0 lowest, as in
// package board. The bits of rows 6 and 7, which do not exist, stay empty and separate the
// columns: shifts find no line that wraps around an edge, and no mask is needed.
//
//	row 5   5 13 21 29 37 45 53   even
//	row 4   4 12 20 28 36 44 52   odd
//	row 3   3 11 19 27 35 43 51   even
//	row 2   2 10 18 26 34 42 50   odd
//	row 1   1  9 17 25 33 41 49   even
//	row 0   0  8 16 24 32 40 48   odd
//
// Rows are called odd and even as in the literature, which counts them from 1. In a column
// that the first player starts and both fill in turn, the first player gets the odd cells
// and the second the even ones.
const (
	columns = 7
	rows    = 6
	cells   = columns * rows

	floor uint64 = 0x01010101010101
	all   uint64 = floor * 0b111111
	odd   uint64 = floor * 0b010101
	even  uint64 = floor * 0b101010
)

// playable returns the cells that a disc can fall into.
func playable(taken uint64) uint64 { return (taken + floor) & all }

// hasLine reports whether the set contains four cells in a line.
func hasLine(b uint64) bool {
	up := b & (b >> 1)
	along := b & (b >> 8)
	rising := b & (b >> 9)
	falling := b & (b >> 7)
	return up&(up>>2)|along&(along>>16)|rising&(rising>>18)|falling&(falling>>14) != 0
}

// completing returns the cells that complete a line of four with three cells of b. Some of
// the cells returned may be taken or lie off the board. Along a column, only the cell above
// three cells of b is found.
func completing(b uint64) uint64 {
	found := b << 1 & (b << 2) & (b << 3)

	behind, ahead := b<<8&(b<<16), b>>8&(b>>16)
	found |= behind&(b<<24|b>>8) | ahead&(b>>24|b<<8)

	behind, ahead = b<<9&(b<<18), b>>9&(b>>18)
	found |= behind&(b<<27|b>>9) | ahead&(b>>27|b<<9)

	behind, ahead = b<<7&(b<<14), b>>7&(b>>14)
	found |= behind&(b<<21|b>>7) | ahead&(b>>21|b<<7)
	return found
}

// completions finds the cells that complete a line with a new disc, by look-ups in tables.
//
// The bit set is rotated so that the disc's cell is in the centre; column 7 and the rows
// above 5 are empty, so no line wraps around an edge here either. In each direction a
// multiplication gathers the six cells around the centre into an index into a table of
// the cells that they complete. A column is empty above a new disc, so the two cells below
// it are enough there; they are part of the index for the row.
//
// Masks and factors are variables because an arm64 processor loads a variable in one
// instruction and needs up to four for a 64-bit constant.
type completions struct {
	alongMask, alongFactor     uint64
	risingMask, risingFactor   uint64
	fallingMask, fallingFactor uint64

	along           [256]uint64
	rising, falling [64]uint64
}

const centre = 27

var completion = newCompletions()

func newCompletions() *completions {
	c := &completions{
		alongMask: 0x8080806080808, alongFactor: 0x200680104100100,
		risingMask: 0x40201000040201, risingFactor: 0xc820840820610200,
		fallingMask: 0x1020400102040, fallingFactor: 0x22840408401d02,
	}
	fill(c.along[:], c.alongMask, c.alongFactor, 8)
	fill(c.rising[:], c.risingMask, c.risingFactor, 6)
	fill(c.falling[:], c.fallingMask, c.fallingFactor, 6)
	return c
}

// fill tabulates the cells that each subset of the mask completes together with the
// centre. The index is the upper bits of the subset times the factor; it is different for
// each subset.
func fill(found []uint64, mask, factor uint64, bits int) {
	for b := uint64(0); ; {
		found[b*factor>>(64-bits)] = completing(b | 1<<centre)
		if b = (b - mask) & mask; b == 0 {
			return
		}
	}
}

// through returns the cells that complete a line of four with a disc in the given cell
// and two more cells of b. In the column of the given cell, b must be empty above it. Some
// of the cells returned may be taken or lie off the board. Unlike [completing], through
// considers only lines through the given cell.
func (c *completions) through(b uint64, cell int) uint64 {
	b = bits.RotateLeft64(b, centre-cell)
	return bits.RotateLeft64(c.along[b&c.alongMask*c.alongFactor>>56]|
		c.rising[b&c.risingMask*c.risingFactor>>58]|
		c.falling[b&c.fallingMask*c.fallingFactor>>58], cell-centre)
}

// above returns the cells of the board that are above a cell of b in the same column.
func above(b uint64) uint64 {
	b = b << 1 & all
	b |= b << 1 & all
	b |= b << 2 & all
	return b | b<<1&all
}

// mirrored returns the mirror image of a set: column 0 becomes column 6.
func mirrored(b uint64) uint64 { return bits.ReverseBytes64(b) >> 8 }
