package match

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// MaxPoints is the highest number of points that can win a match.
const MaxPoints = 3

// Setup has the terms of a match.
type Setup struct {
	Rules    board.Rules // a line must fit on the board
	Points   int         // points that win the match, 1 to [MaxPoints]
	First    board.First
	Computer board.Disc   // the side that the computer plays; Empty between two people
	Level    levels.Level // the computer's level
	Opening  string       // moves already made when the first round starts
}

// Errors of a setup.
var (
	ErrNoLine  = errors.New("match: no line fits on the board")
	ErrPoints  = errors.New("match: points out of range")
	ErrOpening = errors.New("match: the opening ends the round")
)

// Check returns an error if no match can be played with this setup, such as [ErrNoLine], [ErrPoints],
// [ErrOpening] or an error of board.
func (s Setup) Check() error {
	_, err := board.NewMatch(s.Rules, max(s.Points, 1), s.First, 0)
	position, errOpening := board.Parse(s.Rules, s.Opening)
	switch err = cmp.Or(err, errOpening); {
	case err != nil:
		return err
	case s.Points < 1 || s.Points > MaxPoints:
		return fmt.Errorf("%w: %d; use 1 to %d", ErrPoints, s.Points, MaxPoints)
	case !s.Rules.Winnable():
		return fmt.Errorf("%w: connect %d, board %dx%d", ErrNoLine, s.Rules.Connect, s.Rules.Columns, s.Rules.Rows)
	case s.Computer != board.Empty && (s.Level < 1 || int(s.Level) > levels.Count):
		return fmt.Errorf("match: no such level: %d; use 1 to %d", s.Level, levels.Count)
	case position.Outcome() != board.Playing:
		return ErrOpening
	}
	return nil
}
