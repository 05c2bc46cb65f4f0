package board

import "testing"

// Discs whose bits are one step apart are a line only if they are in a straight line of cells. A step
// over the edge of the bitboard leads to a cell at the other edge, which continues no line: on boards
// of eight rows, no empty row hides a mistake.
func TestLinesEndAtTheEdges(t *testing.T) {
	steps := []struct{ bits, columns, rows int }{{1, 0, 1}, {8, 1, 0}, {9, 1, 1}, {7, 1, -1}}
	for k := 2; k <= MaxSide; k++ {
		for first := range MaxCells {
			for _, step := range steps {
				var discs Bitboard
				straight := true
				for i := range k {
					col, row := first/8+i*step.columns, first%8+i*step.rows
					straight = straight && col < MaxSide && row >= 0 && row < MaxSide
					discs |= 1 << (first + i*step.bits) // the last ones may be shifted out
				}
				if hasLine(discs, k) != straight || (discs&threats(discs, k) == discs) != straight {
					t.Errorf("%d discs from cell %d, %d bits apart: a line is %v", k, first, step.bits, straight)
				}
				missing := Bitboard(1) << (first + (k-1)*step.bits) // 0 if shifted out
				if threats(discs&^missing, k)&missing != 0 != straight {
					t.Errorf("%d discs from cell %d, %d bits apart: the last cell is a threat: %v", k, first, step.bits, straight)
				}
			}
		}
	}
}
