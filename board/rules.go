package board

import (
	"errors"
	"fmt"
	"strings"
)

// MaxSide is the largest number of columns or rows: a column is a byte of the
// bitboard, and there are eight bytes in it.
const MaxSide = 8

// MaxCells is the number of cells of the largest board, and so the longest game.
const MaxCells = MaxSide * MaxSide

// Rules are the size of the board and the length of a line that wins.
type Rules struct {
	Columns, Rows int // 1 to 8 each
	Connect       int // discs in a line, 2 to 8
}

// The two boards that have a screen of their own.
var (
	Standard   = Rules{Columns: 7, Rows: 6, Connect: 4}
	FullMatrix = Rules{Columns: 8, Rows: 8, Connect: 4}
)

// Errors of rules.
var (
	ErrRules = errors.New("board: rules out of range")
	ErrSize  = errors.New("board: not a board size")
)

// Check says whether a board can be made of the rules; the error is an [ErrRules].
func (r Rules) Check() error {
	switch {
	case r.Columns < 1 || r.Columns > MaxSide:
		return fmt.Errorf("%w: %d columns, want 1 to %d", ErrRules, r.Columns, MaxSide)
	case r.Rows < 1 || r.Rows > MaxSide:
		return fmt.Errorf("%w: %d rows, want 1 to %d", ErrRules, r.Rows, MaxSide)
	case r.Connect < 2 || r.Connect > MaxSide:
		return fmt.Errorf("%w: a line of %d, want 2 to %d", ErrRules, r.Connect, MaxSide)
	}
	return nil
}

// Winnable says whether a line can come about on the board at all. Where none can,
// every round is a draw and a match would never end: a line that does not fit, a
// single column, where the players' discs take turns, or a single row that is full
// before one of them has enough.
func (r Rules) Winnable() bool {
	if r.Rows == 1 {
		return r.Connect <= (r.Columns+1)/2 // the starter's share
	}
	return r.Columns > 1 && r.Connect <= max(r.Columns, r.Rows)
}

// Cells is the number of cells of the board, 1 to [MaxCells].
func (r Rules) Cells() int { return r.Columns * r.Rows }

// Full says whether the board fills the whole 8×8 matrix.
func (r Rules) Full() bool { return r.Columns == MaxSide && r.Rows == MaxSide }

// String is the size as people write it, "7x6", with the line length where it
// is not the usual four: "8x8 connect 5".
func (r Rules) String() string {
	s := fmt.Sprintf("%dx%d", r.Columns, r.Rows)
	if r.Connect != Standard.Connect {
		s += fmt.Sprintf(" connect %d", r.Connect)
	}
	return s
}

// ParseSize reads a size written as columns x rows, "7x6"; both are 1 to 8.
// The error is an [ErrSize].
func ParseSize(s string) (columns, rows int, err error) {
	if c, r, ok := strings.Cut(strings.ToLower(s), "x"); ok && len(c) == 1 && len(r) == 1 {
		columns, rows = int(c[0])-'0', int(r[0])-'0'
		if 1 <= columns && columns <= MaxSide && 1 <= rows && rows <= MaxSide {
			return columns, rows, nil
		}
	}
	return 0, 0, fmt.Errorf("%w: %.20q, want COLUMNSxROWS of 1 to %d each, as in 7x6", ErrSize, s, MaxSide)
}

// Name is what the players call a disc: "red", "yellow", and "blue" for the
// second player on the full matrix, where yellow would be hard to tell apart. Of
// Empty it is "nobody".
func (r Rules) Name(d Disc) string {
	switch {
	case d == Red:
		return "red"
	case d == Yellow && r.Full():
		return "blue"
	case d == Yellow:
		return "yellow"
	}
	return "nobody"
}

// Letter is a cell in text: 'R', 'Y' ('B' on the full matrix), '.' where empty.
func (r Rules) Letter(d Disc) byte {
	switch {
	case d == Red:
		return 'R'
	case d == Yellow && r.Full():
		return 'B'
	case d == Yellow:
		return 'Y'
	}
	return '.'
}
