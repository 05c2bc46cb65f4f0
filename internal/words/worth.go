package words

import (
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// winners returns how many discs the winner still drops, given the score of the side to move.
func winners(p board.Position, score int) int {
	return (EndsAt(p.Rules().Cells(), score, p.Ply()) - p.Ply() + 2) / 2
}

// with says how far a win is, always in the winner's discs from a position on, as puzzles do: "disc 7"
// is only a disc's name.
func with(p board.Position, score int) string {
	if n := winners(p, score); n > 1 {
		return fmt.Sprintf("with %d more %s discs", n, winner(p, score))
	}
	return "with its next disc"
}

func more(discs int) string { return count(discs, "more disc") }

// Score returns the score of a column with its sign, such as "+18" or "0", or "?" if it is unknown.
func Score(a game.Advice, col int) string {
	switch {
	case a.Unknown(col):
		return "?"
	case a.Score[col] == 0:
		return "0"
	}
	return fmt.Sprintf("%+d", a.Score[col])
}

const nobody = "nobody wins"

// Ends says how a game ends if both play perfectly, given the score of the side to move: "red wins with
// 3 more red discs".
func Ends(p board.Position, score int) string {
	if score == 0 {
		return nobody
	}
	return winner(p, score) + " wins " + with(p, score)
}

// Briefly is [Ends] in a table: "red, 3 discs".
func Briefly(p board.Position, score int) string {
	if score == 0 {
		return "draw"
	}
	return winner(p, score) + ", " + count(winners(p, score), "disc")
}

func winner(p board.Position, score int) string {
	side := p.Turn()
	if score < 0 {
		side = side.Other()
	}
	return p.Rules().Name(side)
}

// EndsAt returns the ply of the game's last disc, given the score of the side that moves at a ply.
func EndsAt(cells, score, ply int) int {
	winner := ply // a ply of the winner's
	if score == 0 {
		return cells - 1
	} else if score < 0 {
		winner++
	}
	end := cells - 2*max(score, -score)
	return end + (end-winner)&1
}

// Outcome returns what a score means, as a noun: win, draw or loss.
func Outcome(score int) string {
	switch {
	case score > 0:
		return "win"
	case score < 0:
		return "loss"
	}
	return "draw"
}

func areOrIs(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
