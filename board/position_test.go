package board

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// Distinct positions by ply on the standard board (OEIS A212693).
func TestDistinctPositions(t *testing.T) {
	want := []int{1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275}
	if testing.Short() {
		want = want[:7]
	}
	p, err := NewPosition(Standard, Red)
	must(t, err)
	level := map[Position]bool{p: true}
	for ply, want := range want {
		if len(level) != want {
			t.Errorf("ply %d: %d positions, want %d", ply, len(level), want)
		}
		next := map[Position]bool{}
		for p := range level {
			for col := range p.LegalMoves() {
				p, _ := p.Drop(col)
				next[p] = true
			}
		}
		level = next
	}
}

func TestRules(t *testing.T) {
	for _, r := range []Rules{{}, {0, 6, 4}, {9, 6, 4}, {7, 0, 4}, {7, 9, 4}, {7, 6, 1}, {7, 6, 9}, {-1, -1, -1}} {
		if _, err := NewPosition(r, Red); !errors.Is(err, ErrRules) {
			t.Errorf("%+v: %v, want an ErrRules", r, err)
		}
		if _, err := Parse(r, "1"); !errors.Is(err, ErrRules) {
			t.Errorf("game on %+v: %v, want an ErrRules", r, err)
		}
		if _, err := NewMatch(r, 2, FirstRed, 0); !errors.Is(err, ErrRules) {
			t.Errorf("match on %+v: %v, want an ErrRules", r, err)
		}
	}
	everyRules(func(r Rules) {
		if err := r.Check(); err != nil {
			t.Errorf("%v: %v", r, err)
		}
		fits := 0
		(&naive{rules: r}).lines(func([][2]int) { fits++ })
		if r.Columns > 1 && r.Rows > 1 && r.Winnable() != (fits > 0) {
			t.Errorf("%v: winnable %v, but %d lines fit", r, r.Winnable(), fits)
		}
	})
	if got := FullMatrix.Name(Yellow) + Standard.Name(Yellow) + Standard.Name(Red) + Standard.Name(Empty); got != "blueyellowrednobody" {
		t.Error(got)
	}
	if got := (Rules{8, 8, 5}).String() + ", " + Standard.String(); got != "8x8 connect 5, 7x6" {
		t.Error(got)
	}
}

func TestParseSize(t *testing.T) {
	for _, s := range []string{"", "x", "7", "7x", "x6", "0x6", "7x9", "77x6", "7x6x4", "7 x 6", "-7x6", "axb", "7×6"} {
		if _, _, err := ParseSize(s); !errors.Is(err, ErrSize) {
			t.Errorf("%q: %v, want an ErrSize", s, err)
		}
	}
	if c, r, err := ParseSize("5X4"); c != 5 || r != 4 || err != nil {
		t.Error(c, r, err)
	}
}

func TestLegalMovesStops(t *testing.T) {
	p, err := Parse(Standard, "444444")
	must(t, err)
	if got := slices.Collect(p.LegalMoves()); !slices.Equal(got, []int{0, 1, 2, 4, 5, 6}) {
		t.Error(got)
	}
	for range p.LegalMoves() {
		break
	}
}

func TestInvalidDisc(t *testing.T) {
	for _, d := range []Disc{Empty, 3, 255} {
		if _, err := NewPosition(Standard, d); err != ErrDisc {
			t.Errorf("disc %d: %v, want %v", d, err, ErrDisc)
		}
		if _, err := ParseGame(Standard, d, "4"); err != ErrDisc {
			t.Errorf("disc %d: %v, want %v", d, err, ErrDisc)
		}
		m, err := NewMatch(Standard, 2, FirstRed, 0)
		must(t, err)
		if m.Points(d) != 0 {
			t.Errorf("disc %d has %d points", d, m.Points(d))
		}
	}
	if got := [...]Outcome{Playing, RedWins, YellowWins, Draw, 9}; fmt.Sprint(got) != "[playing red wins yellow wins draw Outcome(9)]" {
		t.Error(got)
	}
}

// A board is winnable if at least one of all its games ends with a line. Larger boards need no
// test: with at least two columns and two rows, the discs need not alternate, so every line that
// fits is possible.
func TestWinnable(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 2}, {1, 8}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}, {8, 1}, {2, 2}, {2, 3}, {2, 4}, {3, 2}, {4, 2}} {
		for connect := 2; connect <= MaxSide; connect++ {
			r := Rules{size[0], size[1], connect}
			seen := map[Position]bool{}
			var won func(Position) bool
			won = func(p Position) bool {
				if seen[p] {
					return false
				}
				seen[p] = true
				if p.Outcome() != Playing {
					return p.Outcome() != Draw
				}
				for col := range p.LegalMoves() {
					next, err := p.Drop(col)
					must(t, err)
					if won(next) {
						return true
					}
				}
				return false
			}
			start, err := Parse(r, "")
			must(t, err)
			if want := won(start); r.Winnable() != want {
				t.Errorf("%v: winnable %v, want %v", r, r.Winnable(), want)
			}
		}
	}
}

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
