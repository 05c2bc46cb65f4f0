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
	Move int   // counted from 1
	Rune rune  // as it was written
	Err  error // what is wrong with it
}

// Error says which move is wrong, and why.
func (e *MoveError) Error() string {
	return fmt.Sprintf("board: move %d, %q: %s", e.Move, e.Rune, e.Reason())
}

// Reason says in words what is wrong with the move, without its number.
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

// RoundError names the round at which a written match went wrong. What is wrong
// with it is a [*MoveError], [ErrRoundOpen] or [ErrMatchOver].
type RoundError struct {
	Round int   // counted from 1
	Err   error // what is wrong with it
}

// Error says which round is wrong, and why.
func (e *RoundError) Error() string { return fmt.Sprintf("board: round %d: %v", e.Round, e.Err) }

// Unwrap gives what is wrong.
func (e *RoundError) Unwrap() error { return e.Err }

// ParseMatch plays a match that was written down again: what [NewMatch] made it
// of, and the moves of its rounds. Every round but the last must be over. The last
// one is the game returned, over or not, and the match is as it was before it;
// without rounds that is the first one's empty board. The error is a [*RoundError]
// or one of [NewMatch].
func ParseMatch(r Rules, points int, first First, seed uint64, rounds []string) (Match, Game, error) {
	m, err := NewMatch(r, points, first, seed)
	if err != nil {
		return m, Game{}, err
	}
	g := m.NewGame()
	for i, moves := range rounds {
		if i > 0 {
			if m, err = m.Record(g); err != nil {
				return m, g, &RoundError{i, err}
			}
		}
		if m.Winner() != Empty {
			return m, g, &RoundError{i + 1, ErrMatchOver}
		}
		if g, err = ParseGame(r, m.starter, moves); err != nil {
			return m, g, &RoundError{i + 1, err}
		}
	}
	return m, g, nil
}
