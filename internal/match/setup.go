package match

import (
	"errors"
	"fmt"

	"github.com/c4hat/c4hat/board"
)

// MaxPoints is the highest number of points that can win a match.
const MaxPoints = 3

// Setup has the terms of a match.
type Setup struct {
	Rules    board.Rules // a line must fit on the board
	Points   int         // points that win the match, 1 to [MaxPoints]
	First    board.First
	Computer board.Disc // the side that the computer plays; Empty between two people
	Level    Level      // the computer's level
	Opening  string     // moves already made when the first round starts
}

// Errors of a setup.
var (
	ErrNoLine  = errors.New("a match could never end")
	ErrPoints  = errors.New("out of range")
	ErrOpening = errors.New("these moves end the round: leave out the last one")
)

// Check returns an error if no match can be played with this setup, such as [ErrNoLine], [ErrPoints],
// [ErrOpening] or an error of board. It names the setting that people have to change.
func (s Setup) Check() error {
	_, err := board.NewMatch(s.Rules, max(s.Points, 1), s.First, 0)
	position, errOpening := board.Parse(s.Rules, s.Opening)
	move, illegal := errors.AsType[*board.MoveError](errOpening)
	switch {
	case err != nil:
		return err
	case illegal:
		return fmt.Errorf("position: move %d, %q: %s", move.Move, move.Rune, move.Reason())
	case s.Points < 1 || s.Points > MaxPoints:
		return fmt.Errorf("points: %w: %d; use 1 to %d", ErrPoints, s.Points, MaxPoints)
	case !s.Rules.Winnable():
		return fmt.Errorf("connect: nobody can get %d in a line on %dx%d: %w", s.Rules.Connect, s.Rules.Columns, s.Rules.Rows, ErrNoLine)
	case s.Computer != board.Empty && (s.Level < 1 || int(s.Level) > LevelCount):
		return fmt.Errorf("level: %w", errLevel)
	case position.Outcome() != board.Playing:
		return fmt.Errorf("position: %w", ErrOpening)
	}
	return nil
}
