package solver

import (
	"math/rand/v2"
	"testing"

	"github.com/c4hat/c4hat/board"
)

// naive returns the score of a position by plain alpha-beta on package board, without a
// table. It tries wins first, then the columns from the middle outwards.
func naive(p board.Position, alpha, beta int) int {
	if p.Outcome() == board.Draw {
		return 0
	}
	var next [columns]board.Position
	for column := range next {
		n, err := p.Drop(column)
		if err != nil {
			continue
		}
		if n.Outcome().Winner() != board.Empty {
			return 22 - (p.Ply()/2 + 1) // the winner's discs left, counting this one
		}
		next[column] = n
	}
	for _, column := range middleFirst {
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

// randomPosition drops that many random discs, and starts over if one wins.
func randomPosition(r *rand.Rand, plies int) board.Position {
start:
	p, err := board.NewPosition(board.Standard, board.Red)
	if err != nil {
		panic(err)
	}
	for p.Ply() < plies {
		next, err := p.Drop(r.IntN(columns))
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
	if err != nil {
		t.Fatal(err)
	}
	return p
}
