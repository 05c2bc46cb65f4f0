package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/solver"
)

// complete finds the scores of all positions of a ply: of the quiet ones, and of
// those that forced moves lead to from the others. It gives them all.
func (c *crew) complete(ctx context.Context, ply int) ([]board.Position, error) {
	all := quietOf(positions(ply))
	todo := c.unknown(all)
	sortByKey(todo)
	return all, c.solve(ctx, fmt.Sprintf("ply %d", ply), todo)
}

// beyond finds the scores of what follows on those positions whose own scores took
// 2^hard nodes or more, of the hardest first, and of what follows on those.
func (c *crew) beyond(ctx context.Context, now []board.Position, hard int) error {
	for n := 1; len(now) > 0; n++ {
		var next []board.Position
		for _, p := range c.hardest(now, hard) {
			_, children := after(p)
			next = append(next, children...)
		}
		next = quietOf(next)
		if err := c.solve(ctx, fmt.Sprintf("%d after the hard ones", n), c.unknown(next)); err != nil {
			return err
		}
		now = next
	}
	return nil
}

// hardest are those that took 2^hard nodes or more and are worth a look beyond, the
// hardest first.
func (c *crew) hardest(of []board.Position, hard int) (hardest []board.Position) {
	for _, p := range of {
		if p.Ply() < lastPly && int(c.work[keyOf(p)]) > hard {
			hardest = append(hardest, p)
		}
	}
	slices.SortFunc(hardest, func(a, b board.Position) int {
		ka, kb := keyOf(a), keyOf(b)
		return cmp.Or(cmp.Compare(c.work[kb], c.work[ka]), cmp.Compare(ka, kb))
	})
	return hardest
}

// quietOf are the quiet positions that some lead to, each once.
func quietOf(from []board.Position) (all []board.Position) {
	seen := map[key]bool{}
	for _, p := range from {
		q, _, _, found := quiet(p)
		if k := keyOf(q); found && !seen[k] {
			seen[k] = true
			all = append(all, q)
		}
	}
	return all
}

// unknown are those that have no score yet.
func (c *crew) unknown(all []board.Position) (todo []board.Position) {
	for _, p := range all {
		if _, ok := c.score(keyOf(p)); !ok {
			todo = append(todo, p)
		}
	}
	return todo
}

// solve finds the scores of positions.
func (c *crew) solve(ctx context.Context, what string, todo []board.Position) error {
	return c.each(ctx, what, len(todo), func(w *worker, i int) error {
		r, err := w.hot.Solve(ctx, todo[i])
		if err != nil {
			return err
		}
		return w.setScore(keyOf(todo[i]), r.Score, uint8(bits.Len64(r.Nodes)))
	})
}

// tree finds how the perfect level goes on from every position that it can come to
// with one of the colours, whatever is played against it: first says which, it is
// the ply of its first move. Before the ply all, every position counts as slow.
func (c *crew) tree(ctx context.Context, first, last, all int) error {
	now := positions(first)
	for ply := first; ply <= last; ply += 2 {
		sortByKey(now)
		err := c.each(ctx, fmt.Sprintf("perfect at ply %d", ply), len(now), func(w *worker, i int) error {
			return w.find(ctx, now[i], ply < all)
		})
		if err != nil {
			return err
		}
		now = c.next(now)
	}
	return nil
}

// find finds the answer to a position, or to the quiet one that forced moves lead to
// from it: without that one's score the forced move has none.
func (w *worker) find(ctx context.Context, p board.Position, slow bool) error {
	p, _, _, found := quiet(p)
	if !found {
		return nil
	}
	k, mirrored := canonical(p)
	if _, ok := w.answer(k); ok {
		return nil
	}
	s := w.hot
	if !slow {
		s = w.fresh
		s.Reset()
	}
	r, best, err := s.Best(ctx, p)
	if errors.Is(err, solver.ErrNodes) {
		return w.find(ctx, p, true)
	}
	if err != nil {
		return err
	}
	a := answer{score: int8(r.Score), slow: slow}
	for _, column := range best {
		a.best |= 1 << side(column, mirrored)
	}
	return w.setAnswer(k, a)
}

// side is the column in the mirror, or not.
func side(column int, mirrored bool) int {
	if mirrored {
		return board.Standard.Columns - 1 - column
	}
	return column
}

// next gives the positions that the perfect level can be in two plies after some,
// as far as it is known how it goes on.
func (r *results) next(now []board.Position) (next []board.Position) {
	seen := map[key]bool{}
	for _, p := range now {
		for _, p := range r.best(p) {
			_, replies := after(p)
			for _, p := range replies {
				if k := keyOf(p); p.Outcome() == board.Playing && !seen[k] {
					seen[k] = true
					next = append(next, p)
				}
			}
		}
	}
	return next
}

// best gives the positions after the best moves, none where the game ends with
// them or they are not known.
func (r *results) best(p board.Position) (best []board.Position) {
	if canWin(p) {
		return nil
	}
	if safe, ok := choice(p); !ok {
		if len(safe) == 0 { // all lose, if the other side sees it
			_, safe = after(p)
		}
		return safe
	}
	k, mirrored := canonical(p)
	a, _ := r.answer(k)
	columns, next := after(p)
	for i, column := range columns {
		if a.best>>side(column, mirrored)&1 != 0 {
			best = append(best, next[i])
		}
	}
	return best
}

// sortByKey brings together what has much in common.
func sortByKey(p []board.Position) {
	slices.SortFunc(p, func(a, b board.Position) int { return cmp.Compare(keyOf(a), keyOf(b)) })
}
