package computer

import (
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// On boards that the solver does not know, perfect still sees further than hard: it finds
// the only winning column, which hard misses because the win is too far ahead.
func TestPerfectSeesFurtherThanHard(t *testing.T) {
	for _, tt := range []struct {
		rules board.Rules
		moves string
		wins  int
	}{
		{board.FullMatrix, "884237331836551", 5},
		{board.Rules{Columns: 6, Rows: 6, Connect: 4}, "13645266262466441", 3},
	} {
		p, err := board.Parse(tt.rules, tt.moves)
		if err != nil {
			t.Fatal(err)
		}
		var player Computer
		missed := false
		for seed := range uint64(5) {
			col, err := player.Choose(t.Context(), levels.Perfect, p, seed)
			if err != nil || col != tt.wins {
				t.Errorf("%v after %s: perfect plays column %d, %v; column %d wins", tt.rules, tt.moves, col+1, err, tt.wins+1)
			}
			col, err = player.Choose(t.Context(), levels.Hard, p, seed)
			missed = missed || err == nil && col != tt.wins
		}
		if !missed {
			t.Errorf("%v after %s: hard sees that column %d wins; the test needs another position", tt.rules, tt.moves, tt.wins+1)
		}
	}
}
