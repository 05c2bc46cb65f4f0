package term

import (
	"testing"
)

// At every size each cell of the picture belongs to the column of its LED, and no other cell
// belongs to a column.
func TestLayout(t *testing.T) {
	for width := range 150 {
		for height := range 50 {
			l := layoutFor(width, height)
			if l.fits != (width >= 40 && height >= 12) {
				t.Fatalf("%dx%d fits: %v", width, height, l.fits)
			}
			if !l.fits {
				if _, ok := l.column(1, 1); ok {
					t.Fatalf("%dx%d: an invisible column", width, height)
				}
				continue
			}
			sideX, _ := l.side()
			if sideX+sideWidth > width || l.foot()+footHeight > height || l.top < headHeight {
				t.Fatalf("%dx%d: %+v does not fit", width, height, l)
			}
			for col := range 8 {
				x, y := l.led(col, 7)
				for _, at := range [][2]int{{x, y}, {x + 2*l.scale - 1, y}, {x, l.foot()}} {
					if got, ok := l.column(at[0], at[1]); !ok || got != col {
						t.Fatalf("%dx%d: %v is column %d, %v, want %d", width, height, at, got, ok, col)
					}
				}
			}
			for _, at := range [][2]int{{l.left - 1, l.top}, {l.left + 16*l.scale, l.top}, {l.left, l.top - 1}, {l.left, l.foot() + 1}} {
				if _, ok := l.column(at[0], at[1]); ok {
					t.Fatalf("%dx%d: %v is a column", width, height, at)
				}
			}
		}
	}
}
