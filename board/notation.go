package board

import (
	"errors"
	"fmt"
)

// ErrNotation is the error of a letter that is no column's number.
var ErrNotation = errors.New("board: not a column")

// MoveError names the move at which a written game went wrong. What is wrong
// with it is an [ErrNotation], [ErrNoColumn], [ErrColumnFull] or [ErrGameOver].
type MoveError struct {
	Move int  // counted from 1
	Rune rune // as it was written
	Err  error
}

// Error says which move is wrong, and why.
func (e *MoveError) Error() string {
	return fmt.Sprintf("board: move %d, %q: %s", e.Move, e.Rune, e.Reason())
}

// Reason says what is wrong with the move, without its number.
func (e *MoveError) Reason() string {
	switch e.Err {
	case ErrNoColumn:
		return "there is no such column"
	case ErrColumnFull:
		return "that column is full"
	case ErrGameOver:
		return "the game is over before it"
	}
	return "a move is a column's number, 1 for the leftmost"
}

// Unwrap gives what is wrong.
func (e *MoveError) Unwrap() error { return e.Err }

// Parse reads the position after a written game, "4453": the columns of its
// moves, counted from 1, red first. The game may be won with its last move. The
// error is a [*MoveError] or an [ErrRules].
func Parse(r Rules, moves string) (Position, error) {
	g, err := ParseGame(r, Red, moves)
	return g.position, err
}

// ParseGame is [Parse] for the whole game and either player first. On an error
// the game holds the moves before the one that is wrong.
func ParseGame(r Rules, first Disc, moves string) (Game, error) {
	g, err := NewGame(r, first)
	if err != nil {
		return g, err
	}
	n := 0
	for _, c := range moves {
		n++
		if c < '0' || c > '9' {
			return g, &MoveError{n, c, ErrNotation}
		}
		if err := g.Play(int(c - '1')); err != nil {
			return g, &MoveError{n, c, err}
		}
	}
	return g, nil
}
