package computer

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/levels"
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
		now := map[board.Position]bool{}
		start, err := board.NewPosition(board.Standard, board.Red)
		must(t, err)
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
				must(t, err)
				most = max(most, r.Nodes)
				for _, column := range best {
					after, err := p.Drop(column)
					must(t, err)
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

// replies returns the positions after each move, except finished games.
func replies(t *testing.T, p board.Position) (next []board.Position) {
	t.Helper()
	if p.Outcome() != board.Playing {
		return nil
	}
	for column := range p.LegalMoves() {
		n, err := p.Drop(column)
		must(t, err)
		if n.Outcome() == board.Playing {
			next = append(next, n)
		}
	}
	return next
}

// Perfect wins every game that it starts, and with either colour none of its moves loses
// value. From ply 14 on, the judge uses no book.
func TestPerfectNeverErrs(t *testing.T) {
	n := max(2, *games)
	for other := levels.Novice; int(other) <= levels.Count; other++ {
		if other == levels.Hard && n == 2 && testing.Short() {
			continue
		}
		var mu sync.Mutex
		var won, lost, drawn [2]int // by perfect's colour
		var wg sync.WaitGroup
		for worker := range runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				early, late := solver.New(solver.Options{}), solver.New(solver.Options{NoBook: true})
				for number := worker; number < 2*n && !t.Failed(); number += runtime.GOMAXPROCS(0) {
					turn := number % 2
					p := play(t, other, uint64(number), func(before, after board.Position, _ time.Duration) {
						judge := early
						if before.Ply() >= 14 {
							judge = late
						}
						if kept := keptBy(t, judge, after); kept != scoreOf(t, judge, before) {
							t.Errorf("%d of %d:\n%v", kept, scoreOf(t, judge, before), before)
						}
					})
					mu.Lock()
					switch winner := p.Outcome().Winner(); {
					case winner == board.Empty:
						drawn[turn]++
					case (winner == board.Red) == (turn == 0):
						won[turn]++
					default:
						lost[turn]++
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		t.Logf("against %v: %d-%d-%d as red, %d-%d-%d as yellow", other, won[0], drawn[0], lost[0], won[1], drawn[1], lost[1])
		if won[0] != n {
			t.Errorf("%d of %d won as red against %v", won[0], n, other)
		}
	}
}

func scoreOf(t testing.TB, judge *solver.Solver, p board.Position) int {
	r, err := judge.Solve(t.Context(), p)
	if err != nil {
		t.Error(err)
	}
	return r.Score
}

// keptBy returns the score of a position for the side that has just moved.
func keptBy(t testing.TB, judge *solver.Solver, p board.Position) int {
	if p.Outcome().Winner() != board.Empty {
		return p.Rules().Cells()/2 - (p.Ply()-1)/2 // the discs that side had left
	}
	return -scoreOf(t, judge, p)
}

// BenchmarkPerfect measures the time of perfect's moves in whole games against some levels,
// with alternating colours.
func BenchmarkPerfect(b *testing.B) {
	for _, other := range []levels.Level{levels.Novice, levels.Easy, levels.Perfect} {
		b.Run(other.String(), func(b *testing.B) {
			var took []time.Duration
			var games uint64
			n := 100
			if testing.Short() {
				n = 1
			}
			for b.Loop() {
				for range n {
					games++
					play(b, other, games, func(_, _ board.Position, d time.Duration) { took = append(took, d) })
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

// play plays a game of perfect against a level; perfect is red if the number is even. It
// calls moved after each move of perfect.
func play(t testing.TB, other levels.Level, number uint64, moved func(before, after board.Position, took time.Duration)) board.Position {
	var perfect, opponent Computer
	chance := rand.New(rand.NewPCG(number, uint64(other)))
	p, err := board.NewPosition(board.Standard, board.Red)
	if err != nil {
		t.Error(err)
	}
	for p.Outcome() == board.Playing {
		player, level := &opponent, other
		if p.Ply()%2 == int(number%2) {
			player, level = &perfect, levels.Perfect
		}
		start := time.Now()
		column, err := player.Choose(t.Context(), level, p, chance.Uint64())
		took, before := time.Since(start), p
		if err == nil {
			p, err = p.Drop(column)
		}
		if err != nil {
			t.Error(err)
			break
		}
		if player == &perfect {
			moved(before, p, took)
		}
	}
	return p
}
