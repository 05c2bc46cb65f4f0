package solver

import (
	"math/rand/v2"
	"testing"

	"github.com/c4hat/c4hat/board"
)

// std is the standard board.
var std = newGeometry(board.Standard.Columns, board.Standard.Rows)

// sizes are the boards from 4x4 to 8x8.
func sizes() (all []board.Rules) {
	for columns := 4; columns <= board.MaxSide; columns++ {
		for rows := 4; rows <= board.MaxSide; rows++ {
			all = append(all, board.Rules{Columns: columns, Rows: rows, Connect: 4})
		}
	}
	return all
}

// naive returns the score of a position by plain alpha-beta on package board, without a
// table. It tries wins first, then the columns from the middle outwards.
func naive(p board.Position, alpha, beta int) int {
	if p.Outcome() == board.Draw {
		return 0
	}
	columns := p.Rules().Columns
	var next [board.MaxSide]board.Position
	for column := range columns {
		n, err := p.Drop(column)
		if err != nil {
			continue
		}
		if n.Outcome().Winner() != board.Empty {
			return (p.Rules().Cells() + 1 - p.Ply()) / 2 // the winner's discs left, counting this one
		}
		next[column] = n
	}
	for i := range columns {
		column := (columns-1)/2 - i/2
		if i%2 != 0 {
			column = (columns-1)/2 + (i+1)/2
		}
		if next[column] == (board.Position{}) {
			continue
		}
		alpha = max(alpha, -naive(next[column], -beta, -alpha))
		if alpha >= beta {
			break
		}
	}
	return alpha
}

// exactly returns the exact score, found by naive.
func exactly(p board.Position) int { return naive(p, lowest, highest) }

// randomPosition drops that many random discs on the standard board, and starts over if one wins.
func randomPosition(r *rand.Rand, plies int) board.Position {
	return randomOn(r, board.Standard, plies)
}

// randomOn is randomPosition on any board.
func randomOn(r *rand.Rand, rules board.Rules, plies int) board.Position {
start:
	p, err := board.NewPosition(rules, board.Red)
	if err != nil {
		panic(err)
	}
	for p.Ply() < plies {
		next, err := p.Drop(r.IntN(rules.Columns))
		if err != nil {
			continue
		}
		if next.Outcome().Winner() != board.Empty {
			goto start
		}
		p = next
	}
	return p
}

func mustParse(t testing.TB, moves string) board.Position {
	t.Helper()
	if moves == "-" {
		moves = ""
	}
	p, err := board.Parse(board.Standard, moves)
	must(t, err)
	return p
}
