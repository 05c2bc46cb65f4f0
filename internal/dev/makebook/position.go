package main

import (
	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver/book"
)

// key identifies a position and its mirror image: the ply in the upper half, the rank in
// the lower.
type key uint64

func keyOf(p board.Position) key {
	ply, rank := book.Rank(uint64(p.Discs(p.Turn())), uint64(p.Discs(p.Turn().Other())))
	return keyAt(ply, rank)
}

func keyAt(ply int, rank uint32) key { return key(ply)<<32 | key(rank) }

func (k key) ply() int     { return int(k >> 32) }
func (k key) rank() uint32 { return uint32(k) }

// winAt returns the score of a side that wins with its disc at a ply.
func winAt(ply int) int { return board.Standard.Cells()/2 - ply/2 }

// canonical returns a position's key, and whether the position is the mirror image of the
// one that [book.Unrank] returns for it.
func canonical(p board.Position) (k key, mirrored bool) {
	k = keyOf(p)
	mover, other := book.Unrank(k.ply(), k.rank())
	return k, mover != uint64(p.Discs(p.Turn())) || other != uint64(p.Discs(p.Turn().Other()))
}

// safeMoves returns the positions after the moves that do not lose at once. ok reports
// whether the position is quiet: the side to move cannot win at once and has at least two
// such moves.
func safeMoves(p board.Position) (safe []board.Position, ok bool) {
	_, next := after(p)
	for _, n := range next {
		if n.Outcome() != board.Playing || !canWin(n) {
			safe = append(safe, n)
		}
	}
	return safe, !canWin(p) && len(safe) > 1
}

// quiet follows forced moves to the first quiet position. sign is -1 if the other side
// moves there. If found is false, the forced moves end the game with the score.
func quiet(p board.Position) (at board.Position, sign, score int, found bool) {
	for sign = 1; ; sign = -sign {
		safe, ok := safeMoves(p)
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

// canWin reports whether the side to move can win with its next disc.
func canWin(p board.Position) bool {
	threats := p.Threats(p.Turn())
	for column := range p.LegalMoves() {
		if threats.Has(column, p.Height(column)) {
			return true
		}
	}
	return false
}

// after returns a position's successors and their columns.
func after(p board.Position) (columns []int, next []board.Position) {
	for column := range p.LegalMoves() {
		n, err := p.Drop(column)
		if err != nil {
			panic(err) // the column is open
		}
		columns, next = append(columns, column), append(next, n)
	}
	return columns, next
}

// positions returns all positions with n discs and no winner, one of each pair of mirror
// images.
func positions(n int) []board.Position {
	start, err := board.NewPosition(board.Standard, board.Red)
	if err != nil {
		panic(err) // the standard board is valid
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
