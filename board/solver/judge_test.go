package solver

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// A judgement agrees with the exact scores of all columns, and AtLeast is correct for every
// bound.
func TestJudge(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 22))
	exact, s := New(Options{}), New(Options{Table: 1 << 20})
	for range 300 {
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

func TestJudgeErrors(t *testing.T) {
	s := New(Options{NoBook: true})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Judge(ctx, mustParse(t, "-")); !errors.Is(err, context.Canceled) {
		t.Errorf("Judge: %v", err)
	}
	if _, err := s.AtLeast(ctx, mustParse(t, "-"), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("AtLeast: %v", err)
	}
	few := New(Options{NoBook: true, Nodes: 5000})
	if _, err := few.Judge(context.Background(), mustParse(t, "4")); !errors.Is(err, ErrNodes) {
		t.Errorf("Judge: %v", err)
	}
	if _, err := few.AtLeast(context.Background(), mustParse(t, "4"), 1); !errors.Is(err, ErrNodes) {
		t.Errorf("AtLeast: %v", err)
	}
	if _, err := s.Judge(context.Background(), mustParse(t, "1122334")); !errors.Is(err, ErrOver) {
		t.Errorf("Judge: %v", err)
	}
}
