package main

import (
	"fmt"
	"os"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver/book"
)

// contents are a book's plies.
type contents []book.Ply

// write writes the book's file: all results and the scores that follow from them.
func (r *results) write(name string) error {
	c := make(contents, book.MaxPly+1)
	for ply := range c {
		c[ply].Bounds = map[uint32]book.Bounds{}
	}
	for ply := range r.book.Last() + 1 {
		for rank, b := range r.book.All(ply) {
			c.add(keyAt(ply, rank), b)
		}
	}
	for k, score := range r.scores {
		if a, ok := r.answers[k]; !ok || a.slow {
			c.add(k, book.Bounds{Low: int(score), High: int(score)})
		}
	}
	for first := range 2 {
		now := positions(first)
		for ply := first; ply <= lastPly; ply += 2 {
			for _, p := range now {
				r.addMoves(c, p)
			}
			now = r.next(now)
		}
	}
	for ply := fillFrom; ply >= 0; ply-- {
		c.fill(ply)
	}
	data, err := book.Encode(c)
	if err != nil {
		return err
	}
	for ply, p := range c {
		if len(p.Bounds) > 0 {
			fmt.Fprintf(os.Stderr, "ply %2d: %7d entries, all: %v\n", ply, len(p.Bounds), p.Complete)
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %d bytes\n", name, len(data))
	return os.WriteFile(name, data, 0o644)
}

// lastPly is the book's last ply. The results of later plies, after forced moves, are so few
// that a look-up in every search there would cost more than it saves.
const lastPly = 13

// add adds a position's bounds.
func (c contents) add(k key, b book.Bounds) {
	if k.ply() > lastPly {
		return
	}
	known, ok := c[k.ply()].Bounds[k.rank()]
	if ok {
		b = book.Bounds{Low: max(b.Low, known.Low), High: min(b.High, known.High)}
	}
	c[k.ply()].Bounds[k.rank()] = b
}

// addMoves adds what a position's answer implies for each move: the best ones keep its
// score, the others do not.
func (r *results) addMoves(c contents, p board.Position) {
	k, mirrored := canonical(p)
	a, ok := r.answers[k]
	if !ok || !a.slow {
		return
	}
	columns, next := after(p)
	for i, column := range columns {
		b := book.Bounds{Low: 1 - int(a.score), High: book.Unknown.High}
		if a.best>>mirrorIf(column, mirrored)&1 != 0 {
			b = book.Bounds{Low: -int(a.score), High: -int(a.score)}
		}
		at, sign, _, found := quiet(next[i])
		if sign < 0 {
			b.Low, b.High = -b.High, -b.Low
		}
		if found {
			c.add(keyOf(at), b)
		}
	}
}

// fillFrom is the last ply whose scores are derived from later plies.
const fillFrom = 10

// fill adds the scores of a ply that follow from those of the next ply, and checks whether the ply
// is then complete.
func (c contents) fill(ply int) {
	c[ply].Complete = true
	for _, p := range positions(ply) {
		if _, ok := safeMoves(p); !ok {
			continue
		}
		k := keyOf(p)
		if b, ok := c[ply].Bounds[k.rank()]; ok && b.Low == b.High {
			continue
		}
		if b := c.implied(p); b.Low == b.High {
			c.add(k, b)
		} else {
			c[ply].Complete = false
		}
	}
}

// implied returns the bounds of a position that follow from its successors.
func (c contents) implied(p board.Position) book.Bounds {
	best := book.Bounds{Low: book.Unknown.Low, High: book.Unknown.Low}
	_, next := after(p)
	for _, n := range next {
		at, sign, score, found := quiet(n)
		b := book.Bounds{Low: score, High: score}
		if found {
			var ok bool
			if k := keyOf(at); k.ply() <= lastPly {
				b, ok = c[k.ply()].Bounds[k.rank()]
			}
			if !ok {
				b = book.Unknown
			}
		}
		if sign > 0 {
			b.Low, b.High = -b.High, -b.Low
		}
		best.Low, best.High = max(best.Low, b.Low), max(best.High, b.High)
	}
	return best
}
