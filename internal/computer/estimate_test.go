package computer

import (
	"math/rand/v2"
	"testing"

	"github.com/c4hat/c4hat/board"
)

// exhaustive returns the score of a move by full search.
func exhaustive(p board.Position, col int) int {
	next, err := p.Drop(col)
	if err != nil {
		panic(err)
	}
	switch next.Outcome() {
	case board.Draw:
		return 0
	case board.Playing:
	default:
		return (p.Rules().Cells() + 1 - p.Ply()) / 2
	}
	best := -1000
	for reply := range next.LegalMoves() {
		best = max(best, exhaustive(next, reply))
	}
	return -best
}

// If the budget reaches the end of the game, the estimate is exact.
func TestEstimateExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, r := range []board.Rules{{Columns: 4, Rows: 3, Connect: 3}, {Columns: 3, Rows: 4, Connect: 3}, {Columns: 5, Rows: 2, Connect: 4}, {Columns: 2, Rows: 2, Connect: 2}} {
		for range 50 {
			p, err := board.NewPosition(r, board.Red)
			must(t, err)
			for range rng.IntN(r.Cells()) {
				if next, err := p.Drop(rng.IntN(r.Columns)); err == nil && next.Outcome() == board.Playing {
					p = next
				}
			}
			scores, exact, err := estimate(t.Context(), p, estimateNodes)
			if err != nil || !exact {
				t.Fatalf("%v\n%vexact %v, %v", r, p, exact, err)
			}
			for col := range r.Columns {
				want := 0
				if p.Legal(col) {
					want = exhaustive(p, col)
				}
				if scores[col] != want {
					t.Fatalf("%v\n%vcolumn %d: %d, want %d", r, p, col, scores[col], want)
				}
			}
		}
	}
}
