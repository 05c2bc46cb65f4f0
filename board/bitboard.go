package board

import "math/bits"

// Bitboard is a set of cells. Each column is a byte, with row 0 in its lowest bit:
//
//	row 7   7 15 23 31 39 47 55 63
//	row 6   6 14 22 30 38 46 54 62
//	row 5   5 13 21 29 37 45 53 61
//	row 4   4 12 20 28 36 44 52 60
//	row 3   3 11 19 27 35 43 51 59
//	row 2   2 10 18 26 34 42 50 58
//	row 1   1  9 17 25 33 41 49 57
//	row 0   0  8 16 24 32 40 48 56
//	col     0  1  2  3  4  5  6  7
//
// Smaller boards occupy the lower left corner.
type Bitboard uint64

// Has reports whether the set has the cell at a column and row, both from 0. It is false outside 8×8.
func (b Bitboard) Has(col, row int) bool {
	if uint(col) >= MaxSide || uint(row) >= MaxSide {
		return false
	}
	return b>>(uint(8*col+row)&63)&1 != 0
}

// Count returns the number of cells in the set, 0 to 64.
func (b Bitboard) Count() int { return bits.OnesCount64(uint64(b)) }

// everyColumn times a byte has that byte in every column.
const everyColumn Bitboard = 0x0101010101010101

func rectangle(columns, rows int) Bitboard {
	return ^Bitboard(0) >> (8 * (MaxSide - columns)) & (everyColumn * (0xff >> (MaxSide - rows)))
}

// direction is one of the four directions of a line, seen from its left or lower end.
type direction struct {
	shift int // bits to the next cell
	climb int // rows to the next cell: -1, 0 or 1
}

var directions = [...]direction{
	{shift: 1, climb: 1},  // up a column
	{shift: 8, climb: 0},  // along a row
	{shift: 9, climb: 1},  // diagonal, rising
	{shift: 7, climb: -1}, // diagonal, falling
}

// ahead returns the cells from which n steps in the direction end in b. Steps over the
// top or bottom would continue in the next column, so a mask removes those rows. Steps
// over the sides are shifted out.
func (d direction) ahead(b Bitboard, n int) Bitboard {
	return b >> (n * d.shift) & d.inside(n)
}

// behind is like ahead, for n steps backwards.
func (d direction) behind(b Bitboard, n int) Bitboard {
	return b << (n * d.shift) & d.inside(-n)
}

// inside returns the rows from which n steps, backwards if negative, stay within the eight rows.
func (d direction) inside(n int) Bitboard {
	climb := n * d.climb
	if climb >= 0 {
		return everyColumn * (0xff >> climb)
	}
	return everyColumn * (0xff << -climb & 0xff)
}

// starts returns the cells where a run of k discs of b in the direction begins. It doubles the
// runs: two runs of 2 that begin two cells apart are a run of 4.
func (d direction) starts(b Bitboard, k int) Bitboard {
	n := 1
	for ; 2*n <= k; n *= 2 {
		b &= d.ahead(b, n)
	}
	if n < k {
		b &= d.ahead(b, k-n)
	}
	return b
}

func hasLine(b Bitboard, k int) bool {
	if k == 4 {
		return hasLine4(b)
	}
	for _, d := range directions {
		if d.starts(b, k) != 0 {
			return true
		}
	}
	return false
}

// hasLine4 is like hasLine for lines of four, with the masks written out. It runs for every disc
// and takes a third of hasLine's time.
func hasLine4(b Bitboard) bool {
	const (
		below1 = everyColumn * 0x7f
		below2 = everyColumn * 0x3f
		above1 = everyColumn * 0xfe
		above2 = everyColumn * 0xfc
	)
	up := b & (b >> 1 & below1)
	along := b & (b >> 8)
	rising := b & (b >> 9 & below1)
	falling := b & (b >> 7 & above1)
	return up&(up>>2&below2)|along&(along>>16)|rising&(rising>>18&below2)|falling&(falling>>14&above2) != 0
}

// threats returns the cells, taken or not, that complete a line of k with discs of b. For each i,
// there are i discs before the cell and k-1-i after it.
func threats(b Bitboard, k int) Bitboard {
	var all Bitboard
	for _, d := range directions {
		var before, after [MaxSide]Bitboard
		before[0], after[0] = ^Bitboard(0), ^Bitboard(0)
		for i := 1; i < k; i++ {
			after[i] = d.ahead(b&after[i-1], 1)
			before[i] = d.behind(b&before[i-1], 1)
		}
		for i := range k {
			all |= before[i] & after[k-1-i]
		}
	}
	return all
}
