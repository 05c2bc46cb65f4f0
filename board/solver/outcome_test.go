package solver

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/c4hat/c4hat/board"
)

// On every board, Outcome and Outcomes agree with Analyse, also if their nodes do not suffice for
// everything. In late positions Estimate's tree reaches the end of all games, so its best column is best.
func TestOutcomes(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	s, hasty := New(Options{Table: 1 << 20}), New(Options{Table: 1})
	hasty.Limit(pollNodes)
	unsolved := 0
	for n := range scaled(600) {
		rules := sizes()[n%len(sizes())]
		empty := 6 + n%15
		p := randomOn(r, rules, max(0, rules.Cells()-empty))
		if p.Outcome() != board.Playing {
			continue
		}
		a, err := s.Analyse(t.Context(), p)
		must(t, err)
		keeps := func(column int) bool {
			return a.Free[column] && cmp.Compare(a.Columns[column], 0) == cmp.Compare(a.Score, 0)
		}
		for _, s := range []*Solver{s, hasty} {
			o, err := s.Outcome(t.Context(), p)
			if errors.Is(err, ErrNodes) {
				unsolved++
			} else if err != nil || o.Value != cmp.Compare(a.Score, 0) || !keeps(o.Column) {
				t.Fatalf("%+v, %v; the columns %v:\n%v", o, err, a.Columns, p)
			}
			all, err := s.Outcomes(t.Context(), p)
			if err != nil && !errors.Is(err, ErrNodes) {
				t.Fatal(err)
			}
			for column, known := range all.Known {
				if known && all.Columns[column] != cmp.Compare(a.Columns[column], 0) || known != a.Free[column] && (err == nil || known) {
					t.Fatalf("column %d: %+v; the columns %v:\n%v", column, all, a.Columns, p)
				}
			}
			s.Reset()
		}
		if empty > 9 {
			continue
		}
		if e, err := s.Estimate(t.Context(), p, 20_000, 1); err != nil || !keeps(e.Best) {
			t.Fatalf("%+v, %v; the columns %v:\n%v", e, err, a.Columns, p)
		}
	}
	if unsolved == 0 {
		t.Error("2048 nodes suffice for every position")
	}
}

// In openings the best column of an Estimate nearly always keeps the outcome, and the same seed finds
// the same on every machine.
func TestEstimate(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	s := New(Options{})
	asked, wrong, sum := 0, 0, 0.0
	for range 100 {
		p := randomOn(r, board.Standard, 8)
		o, err := s.Outcomes(t.Context(), p)
		must(t, err)
		e, err := s.Estimate(t.Context(), p, 3000, 1)
		must(t, err)
		worst, best := 1, -1
		for column := range p.LegalMoves() {
			worst, best = min(worst, o.Columns[column]), max(best, o.Columns[column])
		}
		if sum += e.Columns[3]; worst == best {
			continue
		}
		if asked++; o.Columns[e.Best] != best {
			wrong++
		}
	}
	if asked < 50 || wrong > asked/6 {
		t.Errorf("%d of %d wrong", wrong, asked)
	}
	if got := int(sum * 1e6); got != 52_837_404 {
		t.Errorf("the shares of column 4 add up to %d, and 52837404 on another machine", got)
	}
	full, _ := board.Parse(board.Rules{Columns: 2, Rows: 2, Connect: 4}, "1122")
	if e, err := s.Estimate(t.Context(), full, 10, 1); err != nil || e.Best != -1 {
		t.Errorf("on a full board: %+v, %v", e, err)
	}
	// A column that turned out to lose is not the best one, although most games went through it.
	if e, err := s.Estimate(t.Context(), mustParse(t, "273346214463356"), 600, 1); err != nil || e.Columns[e.Best] == 0 {
		t.Errorf("column %d loses: %+v, %v", e.Best+1, e, err)
	}
}

// A judgement agrees with the exact scores of all columns, and AtLeast is correct for every
// bound.
func TestJudge(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 22))
	exact, s := New(Options{}), New(Options{Table: 1 << 20})
	for range scaled(300) {
		p := randomPosition(r, 12+r.IntN(std.cells-12))
		a, err := exact.Analyse(context.Background(), p)
		must(t, err)
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
