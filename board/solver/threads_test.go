package solver

import (
	"context"
	"errors"
	"testing"

	"github.com/c4hat/c4hat/board"
)

// Several threads find the same scores as one, even after cancelled searches.
func TestThreads(t *testing.T) {
	positions := readPositions(t, "testdata/opening-medium.positions")[:scaled(40)]
	for _, threads := range []int{2, 4} {
		s := New(Options{NoBook: true, Threads: threads, Table: 1 << 20})
		helped := 0
		for i, p := range positions {
			s.team.helpAfter = min(s.team.helpAfter, 1<<12)
			at := mustParse(t, p.moves)
			ctx, cancel := context.WithCancel(t.Context())
			undo := cancelAfter(t, s, cancel, 10+i)
			if _, err := s.Solve(ctx, at); err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			undo()
			cancel()
			if i%3 == 0 {
				s.Reset()
			}
			if got := s.mustSolve(t, at); got != p.score {
				t.Errorf("%d threads: %s: %d, want %d", threads, p.moves, got, p.score)
			}
			if s.early.shared {
				helped++
			}
		}
		if helped == 0 {
			t.Errorf("%d threads: the helpers never started", threads)
		}
	}
}

// The same holds on a board whose keys have more bits, which need locks.
func TestThreadsWide(t *testing.T) {
	one, team, helped := New(Options{}), New(Options{Threads: 3, Table: 1 << 20}), 0
	for _, moves := range []string{"778856572643677568588635", "235235252635535622653667", "814585584445247757177271"} {
		p, err := board.Parse(board.FullMatrix, moves)
		must(t, err)
		team.Reset()
		team.team.helpAfter = 1 << 12
		want := one.mustSolve(t, p)
		if got := team.mustSolve(t, p); got != want {
			t.Errorf("%s: %d, want %d", moves, got, want)
		}
		if team.early.shared && team.early.more != nil {
			helped++
		}
	}
	if helped == 0 {
		t.Error("the helpers never started")
	}
}
