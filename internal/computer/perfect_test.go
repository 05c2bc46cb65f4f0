package computer

import (
	"maps"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/match"
)

// The limits of TestPerfectIsQuick. A million positions take about 50 ms on a PC of 2025 and
// half a second on a Pi Zero 2 W.
const (
	quickNodes = 1_000_000 // positions that perfect may search for a move, with an empty table
	quickPlies = 13        // the plies before this one are tested
	knownPlies = 11        // from this ply on, only someOfPly positions of a ply are tested
	someOfPly  = 60
)

// While there are few discs, perfect answers quickly in every position that it can reach,
// with either colour and against any play.
func TestPerfectIsQuick(t *testing.T) {
	s := solver.New(solver.Options{Nodes: quickNodes})
	plies := quickPlies
	if testing.Short() {
		plies = 7
	}
	for turn := range 2 {
		now := map[board.Position]bool{newGame().Position(): true}
		if turn == 1 {
			now = replies(newGame().Position())
		}
		for ply := turn; ply < plies; ply += 2 {
			next := map[board.Position]bool{}
			asked := 0
			for p := range now {
				if ply >= knownPlies && asked == someOfPly {
					break
				}
				asked++
				s.Reset()
				_, best, err := s.Best(t.Context(), p)
				if err != nil {
					t.Fatalf("%v: more than %d positions for\n%v", err, quickNodes, p)
				}
				for _, column := range best {
					after, _ := p.Drop(column)
					maps.Copy(next, replies(after))
				}
			}
			t.Logf("ply %d: %d of %d positions", ply, asked, len(now))
			now = next
		}
	}
}

// replies returns the positions after each move, except finished games.
func replies(p board.Position) map[board.Position]bool {
	next := map[board.Position]bool{}
	for column := range p.LegalMoves() {
		if n, err := p.Drop(column); err == nil && n.Outcome() == board.Playing {
			next[n] = true
		}
	}
	return next
}

// Perfect wins every game that it starts, and with either colour none of its moves loses
// value. From ply 14 on, the judge uses no book.
func TestPerfectNeverErrs(t *testing.T) {
	n := max(2, *games)
	for other := match.Novice; int(other) <= match.LevelCount; other++ {
		if other == match.Hard && n == 2 && testing.Short() {
			continue
		}
		score, _ := compete(t, match.Perfect, other, 2*n, func(tb *table) board.Disc {
			g := tb.play(newGame())
			winner, perfect := g.Position().Outcome().Winner(), board.Red
			if tb.sides[0] != match.Perfect {
				perfect = board.Yellow
			} else if winner != board.Red {
				t.Errorf("%v does not lose: %v", other, g)
			}
			for after := g; g.Undo() == nil; after = g {
				if g.Position().Turn() != perfect && other != match.Perfect {
					continue
				}
				if kept, score := -tb.score(after.Position()), tb.score(g.Position()); kept != score {
					t.Errorf("%d of %d:\n%v", kept, score, g.Position())
				}
			}
			return winner
		})
		t.Logf("against %v: %.1f %%", other, 100*score)
	}
}

// score returns the exact score of a position, also if the game is over.
func (tb *table) score(p board.Position) int {
	if p.Outcome().Winner() != board.Empty {
		return -(p.Rules().Cells()/2 - (p.Ply()-1)/2) // the discs that the winner had left
	}
	s := tb.late
	if p.Ply() <= 14 {
		s = tb.early
	}
	r, err := s.Solve(tb.t.Context(), p)
	if err != nil {
		tb.t.Error(err)
	}
	return r.Score
}
