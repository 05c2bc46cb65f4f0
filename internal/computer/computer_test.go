package computer

import (
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/computer/analysis"
	"github.com/c4hat/c4hat/internal/game"
)

func TestPuzzles(t *testing.T) {
	failed := errors.New("failed")
	for _, end := range []error{failed, io.EOF} {
		p := NewPuzzles(t.Context(), func(yield func(analysis.Puzzle, error) bool) {
			_ = yield(analysis.Puzzle{Discs: 3}, nil) && end == failed && yield(analysis.Puzzle{}, failed)
		})
		for _, want := range []error{nil, end, end} {
			made, err := p.Answer(t.Context(), game.Question{Kind: game.Compose, ID: 7}, nil)
			if err != want || want == nil && made != (game.Answered{ID: 7, Puzzle: game.Puzzle{Discs: 3}}) {
				t.Errorf("%v, %v, want %v", made, err, want)
			}
		}
		if p.Err() != end {
			t.Errorf("ended by %v, not %v", p.Err(), end)
		}
	}
}

// A short game on the full matrix is out of the solver's reach; a look back names the disc that let the
// winner win.
func TestReviewOfShortGame(t *testing.T) {
	g, err := board.ParseGame(board.FullMatrix, board.Red, "1828384")
	must(t, err)
	var c Computer
	var marked []int
	_, err = c.Answer(t.Context(), game.Question{Kind: game.Review, Game: g}, func(ev game.Event) {
		if j := ev.(game.Answered); j.Verdict.Marked() {
			marked = append(marked, j.Ply)
		}
	})
	if err != nil || !slices.Equal(marked, []int{5}) {
		t.Errorf("the discs of plies %v have a mark, %v; want 5", marked, err)
	}
}
