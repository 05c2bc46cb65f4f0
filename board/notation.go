package board

import (
	"errors"
	"fmt"
)

// ErrNotation is the error of a character that is not a digit.
var ErrNotation = errors.New("board: not a column")

// MoveError says which move of a notation is wrong.
type MoveError struct {
	Move int   // counted from 1
	Rune rune  // as written
	Err  error // [ErrNotation], [ErrNoColumn], [ErrColumnFull] or [ErrGameOver]
}

// Error names the move and the reason.
func (e *MoveError) Error() string {
	return fmt.Sprintf("board: move %d, %q: %s", e.Move, e.Rune, e.Reason())
}

// Reason returns what is wrong with the move, without naming the move.
func (e *MoveError) Reason() string {
	switch e.Err {
	case ErrNoColumn:
		return "there is no such column"
	case ErrColumnFull:
		return "that column is full"
	case ErrGameOver:
		return "the game was already over"
	}
	return "a move is a column's number, 1 for the leftmost"
}

// Unwrap returns Err.
func (e *MoveError) Unwrap() error { return e.Err }

// Parse returns the position after a game that red starts, given as the columns of its moves,
// numbered from 1: "4453". The error is a [*MoveError] or [ErrRules].
func Parse(r Rules, moves string) (Position, error) {
	g, err := ParseGame(r, Red, moves)
	return g.position, err
}

// ParseGame is like [Parse], but either player may start, and it returns the whole game.
// On an error, it returns the game before the wrong move.
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

// GameError says which game of a match is wrong.
type GameError struct {
	Game int   // counted from 1
	Err  error // a [*MoveError], [ErrGameOpen] or [ErrMatchOver]
}

// Error names the game and the reason.
func (e *GameError) Error() string { return fmt.Sprintf("board: game %d: %v", e.Game, e.Err) }

// Unwrap returns Err.
func (e *GameError) Unwrap() error { return e.Err }

// ParseMatch replays a match from the arguments of [NewMatch] and the notation of its games, of
// which all but the last must be over. It returns the match before the last game, and that game,
// which is empty if there are no games. The error is a [*GameError] or one of [NewMatch].
func ParseMatch(r Rules, points int, first First, seed uint64, games []string) (Match, Game, error) {
	m, err := NewMatch(r, points, first, seed)
	if err != nil {
		return m, Game{}, err
	}
	g := m.NewGame()
	for i, moves := range games {
		if i > 0 {
			if m, err = m.Record(g); err != nil {
				return m, g, &GameError{i, err}
			}
		}
		if m.Winner() != Empty {
			return m, g, &GameError{i + 1, ErrMatchOver}
		}
		if g, err = ParseGame(r, m.starter, moves); err != nil {
			return m, g, &GameError{i + 1, err}
		}
	}
	return m, g, nil
}
