package solver

import (
	"cmp"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
)

var hunt = flag.Int("hunt", 0, "number of positions to search for the ten hardest")

// hardPosition is a hard position: its moves and the nodes of its analysis.
type hardPosition struct {
	moves string
	nodes uint64
}

// TestHunt searches for the positions that are hardest with the book: it keeps the
// hardest so far and changes a few moves of one of them. The node counts are the same on
// every machine. The scores of the hardest must be the same without the book.
func TestHunt(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	tries, keep, show := 60, 20, 3
	least := 12 // discs; positions with fewer take too long
	if *hunt > 0 {
		tries, keep, show = *hunt, 300, 10
		least = 8 // the book has all positions with fewer
	}
	r := rand.New(rand.NewPCG(18, 0))
	s := New(Options{})
	var worst []hardPosition
	seen := map[uint64]bool{} // by key, which mirror images share
	for try := range tries {
		moves := randomMoves(r, least)
		if try > tries/10 && r.IntN(20) > 0 {
			moves = mutated(r, worst[r.IntN(1+r.IntN(len(worst)))].moves)
		}
		p, err := board.Parse(board.Standard, moves)
		if err != nil || p.Outcome() != board.Playing || p.Ply() < least {
			continue
		}
		at, err := stateOf(p)
		if err != nil {
			t.Fatal(err)
		}
		key := at.key(0)
		if seen[key] {
			continue
		}
		seen[key] = true
		s.Reset()
		a, err := s.Analyse(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		place, _ := slices.BinarySearchFunc(worst, a.Nodes, func(q hardPosition, n uint64) int { return cmp.Compare(n, q.nodes) })
		worst = slices.Insert(worst, place, hardPosition{moves, a.Nodes})
		worst = worst[:min(len(worst), keep)]
	}

	without := New(Options{NoBook: true, Nodes: 5_000_000})
	if *hunt > 0 {
		without.maxNodes = 0
	}
	t.Logf("%d positions; analyses with the book | without", len(seen))
	for _, q := range worst[:show] {
		p := mustParse(t, q.moves)
		s.Reset()
		start := time.Now()
		with, err := s.Analyse(t.Context(), p)
		took := time.Since(start)
		if err != nil {
			t.Fatal(err)
		}
		start = time.Now()
		without.Reset()
		plain, err := without.Analyse(t.Context(), p)
		if err == ErrNodes {
			continue
		}
		if err != nil || plain.Columns != with.Columns {
			t.Errorf("%s: %v, %v, want %v", q.moves, with.Columns, err, plain.Columns)
		}
		t.Logf("%-14s %8d nodes %6.0f ms | %9d nodes %6.0f ms", q.moves, with.Nodes, took.Seconds()*1e3, plain.Nodes, time.Since(start).Seconds()*1e3)
	}
}

// randomMoves returns from least to least+7 random moves.
func randomMoves(r *rand.Rand, least int) string {
	b := make([]byte, least+r.IntN(8))
	for i := range b {
		b[i] = '1' + byte(r.IntN(columns))
	}
	return string(b)
}

// mutated returns moves after up to three changes: it inserts, deletes, swaps or replaces.
func mutated(r *rand.Rand, moves string) string {
	b := []byte(moves)
	for range 1 + r.IntN(3) {
		column := '1' + byte(r.IntN(columns))
		i := r.IntN(len(b) + 1)
		switch change := r.IntN(4); {
		case change == 0 || len(b) < 2:
			b = slices.Insert(b, i, column)
		case i == len(b):
		case change == 1:
			b = slices.Delete(b, i, i+1)
		case change == 2:
			j := r.IntN(len(b))
			b[i], b[j] = b[j], b[i]
		default:
			b[i] = column
		}
	}
	return string(b)
}
