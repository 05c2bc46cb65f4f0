// Package board has the rules of Connect-4, and of similar games on boards of up to 8×8 cells with
// lines of 2 to 8 discs.
//
// A [Position] is a small comparable value with the discs on a board. [Position.Drop] returns the
// next position and leaves the old one unchanged. A [Game] is a position with the moves that led to
// it, so that they can be undone and written down. A [Match] is a series of games with a point for
// each win; it keeps the score and decides who starts each game.
//
// [Disc] is the type of discs and of players: red is the first, yellow the second, [Empty] nobody.
//
// Columns are numbered from 0, starting at the left, and rows from 0, starting at the bottom. Only
// the notation of a game, such as "4453", numbers the columns from 1, as is usual.
//
// Playing a game allocates nothing.
package board

import (
	"errors"
	"fmt"
	"strings"
)

// MaxSide is the largest number of columns or rows: a bitboard has eight columns of eight bits.
const MaxSide = 8

// MaxCells is the number of cells of the largest board, and so of moves in the longest game.
const MaxCells = MaxSide * MaxSide

// Rules are the size of the board and the length of a line that wins.
type Rules struct {
	Columns, Rows int // 1 to 8 each
	Connect       int // discs in a line, 2 to 8
}

// Standard is the board of Connect-4. FullMatrix has a cell for each LED of an 8×8 matrix.
var (
	Standard   = Rules{Columns: 7, Rows: 6, Connect: 4}
	FullMatrix = Rules{Columns: 8, Rows: 8, Connect: 4}
)

// ErrRules is the error of rules that no board can have. ErrSize is the error of [ParseSize].
var (
	ErrRules = errors.New("board: rules out of range")
	ErrSize  = errors.New("board: invalid board size")
)

// Check returns what is wrong with the rules, as an [ErrRules], or nil if a board can have them.
func (r Rules) Check() error {
	switch {
	case r.Columns < 1 || r.Columns > MaxSide:
		return fmt.Errorf("%w: %d columns; use 1 to %d", ErrRules, r.Columns, MaxSide)
	case r.Rows < 1 || r.Rows > MaxSide:
		return fmt.Errorf("%w: %d rows; use 1 to %d", ErrRules, r.Rows, MaxSide)
	case r.Connect < 2 || r.Connect > MaxSide:
		return fmt.Errorf("%w: a line of %d; use 2 to %d", ErrRules, r.Connect, MaxSide)
	}
	return nil
}

// Winnable reports whether anybody can complete a line. If not, every game is a draw and a match
// never ends. Not winnable are lines that do not fit on the board, a single column, in which the
// players' discs alternate, and a single row that is full before a player has enough discs.
func (r Rules) Winnable() bool {
	if r.Rows == 1 {
		return r.Connect <= (r.Columns+1)/2 // the starter's discs
	}
	return r.Columns > 1 && r.Connect <= max(r.Columns, r.Rows)
}

// Cells returns the number of cells of the board, 1 to [MaxCells].
func (r Rules) Cells() int { return r.Columns * r.Rows }

// FillsMatrix reports whether the board is 8×8: every LED of the matrix is a cell.
func (r Rules) FillsMatrix() bool { return r.Columns == MaxSide && r.Rows == MaxSide }

// String returns the size, as in "7x6". A line length other than four follows: "8x8 connect 5".
func (r Rules) String() string {
	s := fmt.Sprintf("%dx%d", r.Columns, r.Rows)
	if r.Connect != Standard.Connect {
		s += fmt.Sprintf(" connect %d", r.Connect)
	}
	return s
}

// ParseSize parses columns and rows, 1 to 8 each, as in "7x6". The error is an [ErrSize].
func ParseSize(s string) (columns, rows int, err error) {
	if c, r, ok := strings.Cut(strings.ToLower(s), "x"); ok && len(c) == 1 && len(r) == 1 {
		columns, rows = int(c[0])-'0', int(r[0])-'0'
		if 1 <= columns && columns <= MaxSide && 1 <= rows && rows <= MaxSide {
			return columns, rows, nil
		}
	}
	return 0, 0, fmt.Errorf("%w: %.20q; use COLUMNSxROWS of 1 to %d each, as in 7x6", ErrSize, s, MaxSide)
}

// Name returns the name of a player: "red", "yellow", or "blue" for the second player on
// the full matrix, where yellow is hard to tell from red. The name of Empty is "nobody".
func (r Rules) Name(d Disc) string {
	switch {
	case d == Red:
		return "red"
	case d == Yellow && r.FillsMatrix():
		return "blue"
	case d == Yellow:
		return "yellow"
	}
	return "nobody"
}

// Letter returns the letter of a cell in text: 'R', 'Y' ('B' on the full matrix), or '.' for an
// empty cell.
func (r Rules) Letter(d Disc) byte {
	if d != Red && d != Yellow {
		return '.'
	}
	return r.Name(d)[0] - 'a' + 'A'
}
