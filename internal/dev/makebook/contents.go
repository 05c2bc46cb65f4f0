package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
)

// complete solves the quiet positions of a ply, and those to which forced moves lead from the
// ply's other positions. It returns all these positions.
func (c *crew) complete(ctx context.Context, ply int) ([]board.Position, error) {
	all := quietOf(positions(ply))
	todo := c.unknown(all)
	sortByKey(todo)
	return all, c.solve(ctx, fmt.Sprintf("ply %d", ply), todo)
}

// successors solves the successors of the positions that took 2^hard nodes or more, the hardest
// first, and then in the same way the successors of these successors.
func (c *crew) successors(ctx context.Context, now []board.Position, hard int) error {
	for n := 1; len(now) > 0; n++ {
		var next []board.Position
		for _, p := range c.hardest(now, hard) {
			_, children := after(p)
			next = append(next, children...)
		}
		next = quietOf(next)
		if err := c.solve(ctx, fmt.Sprintf("%d plies after hard ones", n), c.unknown(next)); err != nil {
			return err
		}
		now = next
	}
	return nil
}

// hardest returns the positions that took 2^hard nodes or more and have successors worth
// solving, the hardest first.
func (c *crew) hardest(all []board.Position, hard int) (hardest []board.Position) {
	for _, p := range all {
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

// quietOf returns the quiet positions to which forced moves lead from the given ones, each
// once.
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

// unknown returns the positions that have no score yet.
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
		r, err := w.warm.Solve(ctx, todo[i])
		if err != nil {
			return err
		}
		return w.setScore(keyOf(todo[i]), r.Score, uint8(bits.Len64(r.Nodes)))
	})
}

// perfect finds the perfect level's moves in every position up to ply last that it can reach
// with one colour against any moves; first is the ply of its first move. Before ply all,
// every position is treated as slow.
func (c *crew) perfect(ctx context.Context, first, last, all int) error {
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

// find solves the quiet position to which forced moves lead from p. The scores of p and of the
// positions in between follow from that score.
func (w *worker) find(ctx context.Context, p board.Position, slow bool) error {
	p, _, _, found := quiet(p)
	if !found {
		return nil
	}
	k, mirrored := canonical(p)
	if _, ok := w.answer(k); ok {
		return nil
	}
	s := w.warm
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
		a.best |= 1 << mirrorIf(column, mirrored)
	}
	return w.setAnswer(k, a)
}

// mirrorIf returns the column or, if mirrored is true, its mirror image.
func mirrorIf(column int, mirrored bool) int {
	if mirrored {
		return board.Standard.Columns - 1 - column
	}
	return column
}

// next returns the positions that the perfect level can reach in two plies, as far as its
// moves are known.
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

// best returns the positions after the best moves. There are none if the best moves end the game or
// are not known.
func (r *results) best(p board.Position) (best []board.Position) {
	if canWin(p) {
		return nil
	}
	if safe, ok := safeMoves(p); !ok {
		if len(safe) == 0 { // every move loses
			_, safe = after(p)
		}
		return safe
	}
	k, mirrored := canonical(p)
	a, _ := r.answer(k)
	columns, next := after(p)
	for i, column := range columns {
		if a.best>>mirrorIf(column, mirrored)&1 != 0 {
			best = append(best, next[i])
		}
	}
	return best
}

// sortByKey puts similar positions next to each other.
func sortByKey(p []board.Position) {
	slices.SortFunc(p, func(a, b board.Position) int { return cmp.Compare(keyOf(a), keyOf(b)) })
}
