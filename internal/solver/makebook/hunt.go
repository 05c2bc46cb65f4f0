package main

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/c4hat/c4hat/board"
)

// hunt looks for positions from ply first to last whose analysis takes 2^hard nodes or more, and
// keeps the scores of their successors. It tries random positions, and variations of the
// hardest so far.
func (c *crew) hunt(ctx context.Context, tries, first, last, hard int, r *rand.Rand) error {
	var mu sync.Mutex
	var found []quarry
	met := map[key]bool{}
	pick := func() (p board.Position, moves string, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if len(found) == 0 || r.IntN(10) == 0 {
			moves = randomMoves(r, first+r.IntN(last-first+1))
		} else {
			moves = vary(r, found[r.IntN(1+r.IntN(len(found)))].moves)
		}
		p, err := board.Parse(board.Standard, moves)
		if err != nil || p.Outcome() != board.Playing || p.Ply() < first || p.Ply() > last || met[keyOf(p)] {
			return p, "", false
		}
		met[keyOf(p)] = true
		return p, moves, true
	}
	return c.each(ctx, fmt.Sprintf("hunt from ply %d to %d", first, last), tries, func(w *worker, _ int) error {
		p, moves, ok := pick()
		for !ok {
			p, moves, ok = pick()
		}
		if len(c.unknown(bookable(p))) == 0 {
			return nil
		}
		w.hints.Reset()
		a, err := w.hints.Analyse(ctx, p)
		if err != nil || bits.Len64(a.Nodes) <= hard {
			return err
		}
		mu.Lock()
		place, _ := slices.BinarySearchFunc(found, a.Nodes, func(q quarry, n uint64) int { return cmp.Compare(n, q.nodes) })
		found = slices.Insert(found, place, quarry{moves, a.Nodes})
		mu.Unlock()
		return w.keep(p, a.Columns[:], a.Nodes)
	})
}

// quarry is a hard position and the nodes of its analysis.
type quarry struct {
	moves string
	nodes uint64
}

// bookable returns the quiet positions that a position's successors lead to and the book can
// have.
func bookable(p board.Position) (all []board.Position) {
	_, next := after(p)
	for _, at := range quietOf(next) {
		if at.Ply() <= lastPly {
			all = append(all, at)
		}
	}
	return all
}

// keep adds the scores of those positions, given the scores of the position's columns.
func (r *results) keep(p board.Position, scores []int, nodes uint64) error {
	columns, next := after(p)
	for i, column := range columns {
		at, sign, _, found := quiet(next[i])
		if !found || at.Ply() > lastPly {
			continue
		}
		if _, known := r.score(keyOf(at)); known {
			continue
		}
		if err := r.setScore(keyOf(at), sign*-scores[column], uint8(bits.Len64(nodes/uint64(len(columns))))); err != nil {
			return err
		}
	}
	return nil
}

func randomMoves(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = '1' + byte(r.IntN(board.Standard.Columns))
	}
	return string(b)
}

// vary changes one or two moves, or their order.
func vary(r *rand.Rand, moves string) string {
	b := []byte(moves)
	for range 1 + r.IntN(2) {
		i, j := r.IntN(len(b)), r.IntN(len(b))
		switch r.IntN(4) {
		case 0:
			b = append(b, '1'+byte(r.IntN(board.Standard.Columns)))
		case 1:
			b = slices.Delete(b, i, i+1)
		case 2:
			b[i], b[j] = b[j], b[i]
		default:
			b[i] = '1' + byte(r.IntN(board.Standard.Columns))
		}
	}
	return string(b)
}
