package solver

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkSolve solves files of positions with one thread and the default table, which
// is reset before each position; the time of the resets does not count.
func BenchmarkSolve(b *testing.B) {
	for _, file := range positionFiles(b) {
		b.Run(filepath.Base(file), func(b *testing.B) {
			s, ctx := New(Options{NoBook: true}), context.Background()
			positions := readPositions(b, file)
			if testing.Short() {
				positions = positions[:1]
			}
			var took time.Duration
			var nodes, solved uint64
			for b.Loop() {
				for _, p := range positions {
					at := mustParse(b, p.moves)
					s.Reset()
					start := time.Now()
					r, err := s.Solve(ctx, at)
					took += time.Since(start)
					if err != nil || r.Score != p.score {
						b.Fatalf("%s: %d, %v, want %d", p.moves, r.Score, err, p.score)
					}
					nodes += r.Nodes
					solved++
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(took.Nanoseconds())/1e3/float64(solved), "µs/position")
			b.ReportMetric(float64(nodes)/float64(solved), "nodes/position")
			b.ReportMetric(float64(nodes)/took.Seconds()/1e6, "Mnodes/s")
		})
	}
}

// BenchmarkCancel measures how long a search runs on after its context ends.
func BenchmarkCancel(b *testing.B) {
	s, p := New(Options{NoBook: true}), mustParse(b, "-")
	var waited, longest time.Duration
	for b.Loop() {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan time.Time, 1)
		timer := time.AfterFunc(3*time.Millisecond, func() {
			ended <- time.Now()
			cancel()
		})
		if _, err := s.Solve(ctx, p); err == nil {
			b.Fatal("the search was not cancelled")
		}
		took := time.Since(<-ended)
		timer.Stop()
		waited += took
		longest = max(longest, took)
	}
	b.ReportMetric(float64(waited.Microseconds())/float64(b.N), "µs/cancel")
	b.ReportMetric(float64(longest.Microseconds()), "µs-longest")
}

// BenchmarkColumns measures the analysis of random positions with the book. The table is
// reset before each.
func BenchmarkColumns(b *testing.B) {
	s, r := New(Options{}), rand.New(rand.NewPCG(17, 0))
	var took []time.Duration
	for b.Loop() {
		for i := range 1000 {
			p := randomPosition(r, i%std.cells)
			s.Reset()
			start := time.Now()
			_, err := s.Analyse(b.Context(), p)
			must(b, err)
			took = append(took, time.Since(start))
		}
	}
	slices.Sort(took)
	ms := func(share float64) float64 { return took[int(share*float64(len(took)-1))].Seconds() * 1000 }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ms(0.5), "ms-median")
	b.ReportMetric(ms(0.99), "ms-99%")
	b.ReportMetric(ms(1), "ms-slowest")
}
