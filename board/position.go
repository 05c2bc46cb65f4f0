package board

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"strings"
)

// Disc is what a cell holds, and so also a player: red is the first, yellow the
// second, whichever of them starts.
type Disc uint8

// The discs.
const (
	Empty Disc = iota
	Red
	Yellow
)

// Other is the opponent's disc; of Empty it is Empty.
func (d Disc) Other() Disc {
	if d == Empty {
		return Empty
	}
	return Red + Yellow - d
}

// String is the disc's name on every board but the full matrix; see [Rules.Name].
func (d Disc) String() string { return Standard.Name(d) }

// Outcome is how a round stands.
type Outcome uint8

// The outcomes.
const (
	Playing Outcome = iota
	RedWins
	YellowWins
	Draw
)

// String is the outcome in words: "playing", "red wins", "yellow wins", "draw".
func (o Outcome) String() string {
	switch o {
	case Playing:
		return "playing"
	case RedWins:
		return "red wins"
	case YellowWins:
		return "yellow wins"
	case Draw:
		return "draw"
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// Winner is the disc of the winner; Empty for a draw or a round not over.
func (o Outcome) Winner() Disc {
	switch o {
	case RedWins:
		return Red
	case YellowWins:
		return Yellow
	}
	return Empty
}

// Errors of a move. They are returned as they are: testing for them, and making
// them, costs nothing.
var (
	ErrNoColumn   = errors.New("board: no such column")
	ErrColumnFull = errors.New("board: the column is full")
	ErrGameOver   = errors.New("board: the game is over")
)

// ErrDisc is the error of a player who is neither red nor yellow.
var ErrDisc = errors.New("board: not a player's disc")

// Position is the discs on a board and whose turn it is. It is a value: equal
// positions are ==, and it can be a map's key. The zero Position has no cells, and
// so is drawn.
//
// Four fields and 24 bytes: the compiler keeps no struct of more in registers.
type Position struct {
	mover Bitboard // discs of the side to move
	taken Bitboard // discs of both
	size  size
	state state
}

type size struct{ columns, rows, connect uint8 }

type state struct {
	turn Disc
	won  bool // by the disc dropped last, so by the side not to move
}

// New gives the empty board with the given player to move. The error is an
// [ErrRules] or [ErrDisc].
func New(r Rules, first Disc) (Position, error) {
	if err := r.Check(); err != nil {
		return Position{}, err
	}
	if first != Red && first != Yellow {
		return Position{}, ErrDisc
	}
	return Position{
		size:  size{uint8(r.Columns), uint8(r.Rows), uint8(r.Connect)},
		state: state{turn: first},
	}, nil
}

// Rules are the rules the position is played by.
func (p Position) Rules() Rules {
	return Rules{Columns: int(p.size.columns), Rows: int(p.size.rows), Connect: int(p.size.connect)}
}

// Drop lets a disc of the side to move fall into the column, 0 to Columns-1, and
// gives the position after it.
// The error is [ErrNoColumn], [ErrColumnFull] or [ErrGameOver]; the position
// returned with it is the old one.
func (p Position) Drop(col int) (Position, error) {
	if uint(col) >= uint(p.size.columns) {
		return p, ErrNoColumn
	}
	if p.state.won {
		return p, ErrGameOver
	}
	row := p.Height(col)
	if row >= int(p.size.rows) {
		if p.full() {
			return p, ErrGameOver
		}
		return p, ErrColumnFull
	}
	disc := Bitboard(1) << (uint(8*col+row) & 63)
	won := hasLine(p.mover|disc, int(p.size.connect))
	return Position{
		mover: p.taken &^ p.mover,
		taken: p.taken | disc,
		size:  p.size,
		state: state{p.state.turn.Other(), won},
	}, nil
}

// lift takes the top disc of a column back; it must be the one dropped last.
func (p Position) lift(col int) Position {
	disc := Bitboard(1) << (8*col + p.Height(col) - 1)
	return Position{
		mover: p.taken &^ p.mover &^ disc,
		taken: p.taken &^ disc,
		size:  p.size,
		state: state{turn: p.state.turn.Other()},
	}
}

// Outcome tells whether the round is over, and how.
func (p Position) Outcome() Outcome {
	switch {
	case p.state.won && p.state.turn == Yellow:
		return RedWins
	case p.state.won:
		return YellowWins
	case p.full():
		return Draw
	}
	return Playing
}

func (p Position) full() bool {
	return p.taken.Count() == int(p.size.columns)*int(p.size.rows)
}

// Turn is the side to move, Red or Yellow; after the last move of a round, the side
// that would be. Of the zero Position it is Empty.
func (p Position) Turn() Disc { return p.state.turn }

// Ply is the number of discs on the board, 0 to Columns×Rows.
func (p Position) Ply() int { return p.taken.Count() }

// Height is the number of discs in the column, counted from 0; 0 for a column there
// is not.
func (p Position) Height(col int) int {
	if uint(col) >= MaxSide {
		return 0
	}
	return bits.Len8(uint8(p.taken >> (uint(8*col) & 63)))
}

// At is the disc in a cell, by its column and row from 0; outside the board it is
// Empty.
func (p Position) At(col, row int) Disc {
	switch {
	case p.mover.Has(col, row):
		return p.state.turn
	case p.taken.Has(col, row):
		return p.state.turn.Other()
	}
	return Empty
}

// FreeColumns gives the columns a disc can be dropped into, from 0 at the left; none
// once the game is over.
func (p Position) FreeColumns() iter.Seq[int] {
	return func(yield func(int) bool) {
		for col := range int(p.size.columns) {
			if p.Free(col) && !yield(col) {
				return
			}
		}
	}
}

// Free says whether a disc can be dropped into the column, counted from 0: no for one
// that is full or is not there, and for all once the game is over.
func (p Position) Free(col int) bool {
	return uint(col) < uint(p.size.columns) && !p.state.won && p.Height(col) < int(p.size.rows)
}

// Discs is the set of the cells that hold the disc; of Empty, of those of the board
// that hold none.
func (p Position) Discs(d Disc) Bitboard {
	switch d {
	case Empty:
		return rectangle(int(p.size.columns), int(p.size.rows)) &^ p.taken
	case p.state.turn:
		return p.mover
	}
	return p.taken &^ p.mover
}

// Lines is the set of all discs that stand in a winning line: empty until the
// round is won, and then of the winner alone, since the first line ends it.
func (p Position) Lines() Bitboard {
	if !p.state.won {
		return 0
	}
	return lines(p.taken&^p.mover, int(p.size.connect))
}

// Threats is the set of the empty cells where the disc would complete a line,
// whether or not one can be dropped there now. Of Empty there are none.
func (p Position) Threats(d Disc) Bitboard {
	if d == Empty {
		return 0
	}
	return threats(p.Discs(d), int(p.size.connect)) & p.Discs(Empty)
}

// String draws the board as rows of letters, the top row first, each with a
// newline: see [Rules.Letter].
func (p Position) String() string {
	r := p.Rules()
	var s strings.Builder
	for row := r.Rows - 1; row >= 0; row-- {
		for col := range r.Columns {
			s.WriteByte(r.Letter(p.At(col, row)))
		}
		s.WriteByte('\n')
	}
	return s.String()
}
