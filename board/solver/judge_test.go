package solver

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

// A judgement agrees with the exact scores of all columns, and AtLeast is correct for every
// bound.
func TestJudge(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 22))
	exact, s := New(Options{}), New(Options{Table: 1 << 20})
	for range scaled(300) {
		p := randomPosition(r, 12+r.IntN(std.cells-12))
		a, err := exact.Analyse(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		j, err := s.Judge(context.Background(), p)
		if err != nil || j.Score != a.Score || j.Free != a.Free {
			t.Fatalf("%v%d, %v: %v, want %d, %v", p, j.Score, j.Free, err, a.Score, a.Free)
		}
		for col, score := range a.Columns {
			want := score
			switch {
			case !a.Free[col]:
				want = 0
			case slices.Contains(a.Best, col):
			case score < 0:
				want = Lost
			default:
				want = min(score, 1)
			}
			if j.Columns[col] != want {
				t.Fatalf("%vcolumn %d: %d, want %d of %v", p, col, j.Columns[col], want, a.Columns)
			}
		}
		for bound := lowest; bound <= highest; bound++ {
			if got, err := s.AtLeast(context.Background(), p, bound); err != nil || got != (a.Score >= bound) {
				t.Fatalf("%vat least %d: %v, %v, want the score %d", p, bound, got, err, a.Score)
			}
		}
	}
}
