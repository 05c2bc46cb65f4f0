package analysis

import (
	"context"
	"testing"

	"github.com/c4hat/c4hat/board"
)

// A missed win becomes a puzzle, unless the computer missed it, it is in the opening, or it was
// found before.
func TestMissed(t *testing.T) {
	g, err := board.ParseGame(board.Standard, board.Red, "1122337")
	if err != nil {
		t.Fatal(err)
	}
	f := NewFinder()
	count := func(computer board.Disc, opening int) (n int) {
		for p, err := range f.Missed(context.Background(), g, opening, computer) {
			if err != nil {
				t.Fatal(err)
			}
			if p.Game.String() != "112233" || p.Discs != 1 || p.Line[0] != 3 {
				t.Errorf("found %+v", p)
			}
			n++
		}
		return n
	}
	for _, tt := range []struct {
		computer board.Disc
		opening  int
		want     int
	}{{board.Red, 0, 0}, {board.Empty, 7, 0}, {board.Yellow, 0, 1}, {board.Empty, 0, 0}} {
		if got := count(tt.computer, tt.opening); got != tt.want {
			t.Errorf("computer %v, opening %d: %d puzzles, want %d", tt.computer, tt.opening, got, tt.want)
		}
	}
}
