package main

import (
	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/solver/book"
)

// key tells positions apart, but not from their mirror images: the ply above the
// rank.
type key uint64

func keyOf(p board.Position) key {
	ply, rank := book.Rank(uint64(p.Discs(p.Turn())), uint64(p.Discs(p.Turn().Other())))
	return keyAt(ply, rank)
}

func keyAt(ply int, rank uint32) key { return key(ply)<<32 | key(rank) }

func (k key) ply() int     { return int(k >> 32) }
func (k key) rank() uint32 { return uint32(k) }

// winAt is the score of a side that wins with its disc at that ply.
func winAt(ply int) int { return board.Standard.Cells()/2 - ply/2 }

// canonical is the key of a position, and whether it is the mirror image of that
// key's.
func canonical(p board.Position) (k key, mirrored bool) {
	k = keyOf(p)
	mover, other := book.Unrank(k.ply(), k.rank())
	return k, mover != uint64(p.Discs(p.Turn())) || other != uint64(p.Discs(p.Turn().Other()))
}

// choice gives the positions after the moves that do not lose at once. ok says that
// the position is quiet: the side to move cannot win at once, and has at least two
// of them.
func choice(p board.Position) (safe []board.Position, ok bool) {
	_, next := after(p)
	for _, n := range next {
		if n.Outcome() != board.Playing || !canWin(n) {
			safe = append(safe, n)
		}
	}
	return safe, !canWin(p) && len(safe) > 1
}

// quiet follows a position along forced moves to the first that is quiet. sign is -1
// if that is the other side's turn. If there is none, the score is known instead.
func quiet(p board.Position) (at board.Position, sign, score int, found bool) {
	for sign = 1; ; sign = -sign {
		safe, ok := choice(p)
		switch {
		case ok:
			return p, sign, 0, true
		case canWin(p):
			return p, sign, winAt(p.Ply()), false
		case len(safe) == 0:
			return p, sign, -winAt(p.Ply() + 1), false
		}
		p = safe[0]
	}
}

// canWin says whether the side to move wins with its next disc.
func canWin(p board.Position) bool {
	threats := p.Threats(p.Turn())
	for column := range p.LegalMoves() {
		if threats.Has(column, p.Height(column)) {
			return true
		}
	}
	return false
}

// after gives the positions that follow one, and by which columns.
func after(p board.Position) (columns []int, next []board.Position) {
	for column := range p.LegalMoves() {
		n, err := p.Drop(column)
		if err != nil {
			panic(err) // the column is free
		}
		columns, next = append(columns, column), append(next, n)
	}
	return columns, next
}

// positions gives every position of so many discs that nobody has won, one of each pair
// of mirror images.
func positions(n int) []board.Position {
	start, err := board.NewPosition(board.Standard, board.Red)
	if err != nil {
		panic(err) // the standard board is one
	}
	now := []board.Position{start}
	for range n {
		seen := map[key]bool{}
		var next []board.Position
		for _, p := range now {
			_, children := after(p)
			for _, c := range children {
				if k := keyOf(c); c.Outcome() == board.Playing && !seen[k] {
					seen[k] = true
					next = append(next, c)
				}
			}
		}
		now = next
	}
	return now
}
