package computer

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/match"
)

// Where the solver finds nothing, perfect still sees further than hard: it finds
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
		must(t, err)
		var player Computer
		missed := false
		for seed := range uint64(5) {
			col, err := player.Choose(t.Context(), match.Perfect, p, seed)
			if err != nil || col != tt.wins {
				t.Errorf("%v after %s: perfect plays column %d, %v; column %d wins", tt.rules, tt.moves, col+1, err, tt.wins+1)
			}
			col, err = player.Choose(t.Context(), match.Hard, p, seed)
			missed = missed || err == nil && col != tt.wins
		}
		if !missed {
			t.Errorf("%v after %s: hard sees that column %d wins; the test needs another position", tt.rules, tt.moves, tt.wins+1)
		}
	}
}

// On the full matrix, from the 24th disc on, perfect changes no outcome, and from the 28th on hints
// are exact. The openings are from games between levels.
func TestFullMatrix(t *testing.T) {
	openings := []string{"122275766688582151258115", "262674613443223777884467", "235235252635535622653667", "527877327226662583853156", "814585584445247757177271", "778856572643677568588635", "852121835461154344557667"}
	r := rand.New(rand.NewPCG(8, 8))
	if testing.Short() {
		openings = openings[1:3]
	}
	judge := solver.New(solver.Options{})
	var player, opponent Computer
	judged, hints := 0, 0
	for i, moves := range openings {
		p, err := board.Parse(board.FullMatrix, moves)
		must(t, err)
		for p.Outcome() == board.Playing {
			level, who := match.Perfect, &player
			if p.Ply()%2 != i%2 {
				level, who = match.Level(int(match.Easy)+i%3), &opponent
			}
			col, err := who.Choose(t.Context(), level, p, r.Uint64())
			must(t, err)
			if p.Ply() >= 24 && level == match.Perfect {
				o, err := judge.Outcomes(context.Background(), p)
				must(t, err)
				best := -1
				for c, known := range o.Known {
					if known {
						best = max(best, o.Columns[c])
					}
				}
				if judged++; o.Columns[col] != best {
					t.Errorf("perfect plays column %d, %d instead of %d:\n%v", col+1, o.Columns[col], best, p)
				}
			}
			if p.Ply() >= 28 && p.Ply()%4 == 0 {
				hints++
				if a, err := player.Advise(t.Context(), p); !a.Exact || err != nil {
					t.Errorf("a hint is not exact, %v:\n%v", err, p)
				}
			}
			if p, err = p.Drop(col); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d discs and %d hints", judged, hints)
	if judged < len(openings) || hints == 0 {
		t.Error("too few to be meaningful")
	}
}
