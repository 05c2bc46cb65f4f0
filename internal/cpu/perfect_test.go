package cpu

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/solver"
)

// What perfect may look at for an answer: some 50 ms on a PC of 2025 and half a
// second on a Pi Zero 2 W. From an empty table it needs no more before the last of
// these plies, whatever it has come to, and hardly ever from there on.
const (
	quickNodes = 1_000_000
	knownPlies = 11
	quickPlies = 13
	someOfPly  = 60
)

// Perfect answers quickly in every position that it can come to, with either colour
// and whatever is played against it, while there are few discs.
func TestPerfectIsQuick(t *testing.T) {
	s := solver.New(solver.Options{Nodes: quickNodes})
	plies := quickPlies
	if testing.Short() {
		plies = 7
	}
	for turn := range 2 {
		now := map[board.Position]bool{}
		start, err := board.New(board.Standard, board.Red)
		if err != nil {
			t.Fatal(err)
		}
		if now[start] = true; turn == 1 {
			now = map[board.Position]bool{}
			for _, p := range replies(t, start) {
				now[p] = true
			}
		}
		for ply := turn; ply < plies; ply += 2 {
			next := map[board.Position]bool{}
			var most uint64
			asked := 0
			for p := range now {
				if ply >= knownPlies && asked == someOfPly {
					break
				}
				asked++
				s.Reset()
				r, best, err := s.Best(t.Context(), p)
				if errors.Is(err, solver.ErrNodes) {
					t.Fatalf("more than %d positions for\n%v", quickNodes, p)
				}
				if err != nil {
					t.Fatal(err)
				}
				most = max(most, r.Nodes)
				for _, column := range best {
					after, err := p.Drop(column)
					if err != nil {
						t.Fatal(err)
					}
					for _, reply := range replies(t, after) {
						next[reply] = true
					}
				}
			}
			t.Logf("ply %d: %d of %d positions, %d nodes at most", ply, asked, len(now), most)
			now = next
		}
	}
}

// replies are the positions that follow, while the game goes on.
func replies(t *testing.T, p board.Position) (next []board.Position) {
	t.Helper()
	if p.Outcome() != board.Playing {
		return nil
	}
	for column := range p.FreeColumns() {
		n, err := p.Drop(column)
		if err != nil {
			t.Fatal(err)
		}
		if n.Outcome() == board.Playing {
			next = append(next, n)
		}
	}
	return next
}

// BenchmarkPerfect is how long perfect thinks, in whole games against each of some
// levels, colours alternating.
func BenchmarkPerfect(b *testing.B) {
	for _, other := range []Level{Novice, Easy, Perfect} {
		b.Run(other.String(), func(b *testing.B) {
			var took []time.Duration
			var games uint64
			for b.Loop() {
				for range 100 {
					games++
					took = append(took, game(b, other, games)...)
				}
			}
			slices.Sort(took)
			ms := func(share float64) float64 {
				return took[int(share*float64(len(took)-1))].Seconds() * 1000
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(ms(0.5), "ms-median")
			b.ReportMetric(ms(0.99), "ms-99%")
			b.ReportMetric(ms(1), "ms-slowest")
		})
	}
}

// game plays one, and gives how long each of perfect's answers took.
func game(b *testing.B, other Level, number uint64) (took []time.Duration) {
	var perfect, opponent Player
	chance := rand.New(rand.NewPCG(number, uint64(other)))
	p, err := board.New(board.Standard, board.Red)
	if err != nil {
		b.Fatal(err)
	}
	for p.Outcome() == board.Playing {
		player, level := &opponent, other
		if p.Ply()%2 == int(number%2) {
			player, level = &perfect, Perfect
		}
		start := time.Now()
		column, err := player.Choose(b.Context(), level, p, chance.Uint64())
		if err != nil {
			b.Fatal(err)
		}
		if level == Perfect {
			took = append(took, time.Since(start))
		}
		if p, err = p.Drop(column); err != nil {
			b.Fatal(err)
		}
	}
	return took
}
