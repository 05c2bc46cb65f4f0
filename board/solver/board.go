package solver

import "math/bits"

// A set of cells has eight bits per column with row 0 lowest, as in package board. Cells off the
// board stay empty. On boards of eight rows nothing separates the columns, so shifts need masks:
// a row's mask has the rows that a shift cannot have reached from another column.
const (
	floor    uint64 = 0x0101010101010101 // row 0
	fromRow1        = floor * 0xfe
	fromRow2        = floor * 0xfc
	fromRow3        = floor * 0xf8
	fromRow4        = floor * 0xf0
	toRow4          = floor * 0x1f
	toRow5          = floor * 0x3f
	toRow6          = floor * 0x7f
)

// geometry is the size of a board and what follows from it.
//
// The top cell of each column, the third from the top, and so on, are upper cells; the others are
// lower cells. If a column with an even number of empty cells is filled by both sides in turn, the
// side that did not begin gets the upper ones. The leader is the side that moves when the number
// of all empty cells is even, and the follower is the other. On boards with an even number of
// cells, the first player leads.
//
//	7x6:  row 5   5 13 21 29 37 45 53   upper
//	      row 4   4 12 20 28 36 44 52   lower
//	      row 3   3 11 19 27 35 43 51   upper
//	      row 2   2 10 18 26 34 42 50   lower
//	      row 1   1  9 17 25 33 41 49   upper
//	      row 0   0  8 16 24 32 40 48   lower
type geometry struct {
	columns, rows, cells int
	all                  uint64 // the board's cells
	bottom, raised       uint64 // those in row 0, and the others
	upper, lower         uint64
	fromMiddle           [8]int     // the columns, from the middle outwards, the left one of two first
	weights              [2]weights // of the leader and of the follower
	claim, threat        int        // the highest scores that claimeven and oddThreat promise
	wide                 bool       // eight columns or rows: keys exceed 56 bits, and shifts need masks

	// From these plies on: late positions have their own table; moves are searched without trying
	// the rules and the table on all of them first; moves are ordered without the history.
	latePly, peekPly, historyPly int
	plainKeyPly                  int
}

func newGeometry(columns, rows int) geometry {
	g := geometry{columns: columns, rows: rows, cells: columns * rows, wide: columns == 8 || rows == 8}
	g.all = floor * (1<<rows - 1) & (1<<(8*columns-1)<<1 - 1)
	g.bottom, g.raised = g.all&floor, g.all&^floor
	g.claim, g.threat = rows/2, (rows-1)/2
	g.upper = 0xaaaaaaaaaaaaaaaa
	if rows&1 != 0 {
		g.upper = ^g.upper
	}
	g.lower = ^g.upper
	for i := range columns {
		step := (i + 1) / 2
		if (i+columns)&1 == 0 { // on the left and on the right in turn
			step = -step
		}
		g.fromMiddle[i] = (columns-1)/2 + step
	}
	g.weights = weightsFor(columns, rows)
	if g.plainKeyPly = mirrorPly + 1; g.wide {
		g.plainKeyPly = g.cells + 1
	}
	g.latePly, g.peekPly, g.historyPly = g.cells-18, g.cells-16, max(g.cells-12, 0)
	return g
}

// winAt returns the winner's score if it wins with the disc dropped at ply. The first disc is
// dropped at ply 0.
func (g *geometry) winAt(ply int) int { return (g.cells + 1 - ply) >> 1 }

func (g *geometry) leads(ply int) bool { return (g.cells-ply)&1 == 0 }

// playable returns the cells that a disc can fall into.
func (g *geometry) playable(taken uint64) uint64 { return ((taken<<1 | g.bottom) ^ taken) & g.all }

func hasLine(b uint64) bool {
	up := b & (b >> 1)
	along := b & (b >> 8)
	rising := b & (b >> 9)
	falling := b & (b >> 7)
	return (up&(up>>2)|rising&(rising>>18))&toRow4|along&(along>>16)|falling&(falling>>14)&fromRow3 != 0
}

// completing returns the cells that complete a line of four with three cells of b. Some of
// the cells returned may be taken or lie off the board. Along a column, only the cell above
// three cells of b is found.
func completing(b uint64) uint64 {
	found := b << 1 & (b << 2) & (b << 3) & fromRow3

	behind, ahead := b<<8&(b<<16), b>>8&(b>>16)
	found |= behind&(b<<24|b>>8) | ahead&(b>>24|b<<8)

	one, three := b&toRow6<<9, b&toRow4<<27
	oneAhead, threeAhead := b&fromRow1>>9, b&fromRow3>>27
	behind, ahead = one&(b&toRow5<<18), oneAhead&(b&fromRow2>>18)
	found |= behind&(three|oneAhead) | ahead&(threeAhead|one)

	one, three = b&fromRow1<<7, b&fromRow3<<21
	oneAhead, threeAhead = b&toRow6>>7, b&toRow4>>21
	behind, ahead = one&(b&fromRow2<<14), oneAhead&(b&toRow5>>14)
	found |= behind&(three|oneAhead) | ahead&(threeAhead|one)
	return found
}

// completions finds the cells that complete a line with a new disc, by look-ups in tables.
//
// The bit set is rotated so that the disc's cell is in the centre. In each direction a
// multiplication gathers the six cells around the centre into an index into a table of
// the cells that they complete. A column is empty above a new disc, so the two cells below
// it are enough there; they are part of the index for the row. The rotation also takes cells from
// beyond an edge. On wide boards a mask of the cells around the disc removes them; on others an empty
// row and column lie between.
//
// Masks and factors are variables because an arm64 processor loads a variable in one
// instruction and needs up to four for a 64-bit constant.
type completions struct {
	alongMask, alongFactor     uint64
	risingMask, risingFactor   uint64
	fallingMask, fallingFactor uint64

	along           [256]uint64
	rising, falling [64]uint64
	around          [64]uint64 // by cell: the cells up to three away along a row, a column or a diagonal
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
	for cell := range c.around {
		for _, d := range [8][2]int{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}} {
			for n := 1; n < 4; n++ {
				if column, row := cell>>3+n*d[0], cell&7+n*d[1]; uint(column) < 8 && uint(row) < 8 {
					c.around[cell] |= 1 << (8*column + row)
				}
			}
		}
	}
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
// of the cells returned may be taken or lie off a board smaller than 8x8. Unlike [completing],
// through considers only lines through the given cell.
func (g *geometry) through(b uint64, cell int) uint64 {
	c, around := completion, ^uint64(0)
	if g.wide {
		around = c.around[cell&63]
	}
	b = bits.RotateLeft64(b&around, centre-cell)
	return bits.RotateLeft64(c.along[b&c.alongMask*c.alongFactor>>56]|
		c.rising[b&c.risingMask*c.risingFactor>>58]|
		c.falling[b&c.fallingMask*c.fallingFactor>>58], cell-centre) & around
}

// above returns the cells that are above a cell of b in the same column, also off the board.
func above(b uint64) uint64 {
	b = b << 1 & fromRow1
	b |= b << 1 & fromRow1
	b |= b << 2 & fromRow2
	return b | b<<4&fromRow4
}

// mirrored returns the mirror image of a set: the first column becomes the last.
func (g *geometry) mirrored(b uint64) uint64 {
	return bits.ReverseBytes64(b) >> ((64 - 8*g.columns) & 63)
}
