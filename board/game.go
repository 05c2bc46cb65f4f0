package board

import "errors"

// ErrNoMove is the error of [Game.Undo] before the first move.
var ErrNoMove = errors.New("board: no move to take back")

// Game is a position with the moves that led to it from the empty board. It is a comparable value
// of 88 bytes, and copies are independent.
type Game struct {
	position Position
	moves    [MaxCells]uint8 // columns from 0; zero after the last move
}

// NewGame returns a game that a player starts. The error is [ErrRules] or [ErrDisc].
func NewGame(r Rules, first Disc) (Game, error) {
	p, err := NewPosition(r, first)
	return Game{position: p}, err
}

// Position returns the current position.
func (g Game) Position() Position { return g.position }

// Starter returns the player who makes the first move.
func (g Game) Starter() Disc {
	if g.position.Ply()%2 == 0 {
		return g.position.Turn()
	}
	return g.position.Turn().Other()
}

// Play drops a disc of the side to move into a column, numbered from 0. Its errors are those of
// [Position.Drop]; they leave the game unchanged.
func (g *Game) Play(col int) error {
	next, err := g.position.Drop(col)
	if err != nil {
		return err
	}
	g.moves[g.position.Ply()] = uint8(col)
	g.position = next
	return nil
}

// Undo takes back the last move, even one that ended the game. If there is no move, the error is
// [ErrNoMove].
func (g *Game) Undo() error {
	ply := g.position.Ply()
	if ply == 0 {
		return ErrNoMove
	}
	g.position = g.position.lift(int(g.moves[ply-1]))
	g.moves[ply-1] = 0
	return nil
}

// Move returns the column, from 0, of the move at a ply, from 0 and less than the position's.
func (g Game) Move(ply int) int { return int(g.moves[ply]) }

// Last returns the column and row of the last disc, both from 0; ok is false before there is one.
func (g Game) Last() (col, row int, ok bool) {
	ply := g.position.Ply()
	if ply == 0 {
		return 0, 0, false
	}
	col = g.Move(ply - 1)
	return col, g.position.Height(col) - 1, true
}

// String returns the notation of the game, with columns numbered from 1: "4453".
func (g Game) String() string {
	var s [MaxCells]byte
	ply := g.position.Ply()
	for i := range ply {
		s[i] = '1' + g.moves[i]
	}
	return string(s[:ply])
}
