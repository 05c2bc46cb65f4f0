package board

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"strings"
)

// Disc is the content of a cell, and the player who owns it: Red is the first player and Yellow the
// second, no matter who starts a game.
type Disc uint8

// The discs.
const (
	Empty Disc = iota
	Red
	Yellow
)

// Other returns the opponent. The opponent of Empty is Empty.
func (d Disc) Other() Disc {
	if d == Empty {
		return Empty
	}
	return Red + Yellow - d
}

// String returns the player's name on every board but FullMatrix; see [Rules.Name].
func (d Disc) String() string { return Standard.Name(d) }

// Outcome is the result of a game.
type Outcome uint8

// The outcomes.
const (
	Playing Outcome = iota
	RedWins
	YellowWins
	Draw
)

var outcomeNames = [...]string{"playing", "red wins", "yellow wins", "draw"}

// String returns the outcome in words: "playing", "red wins", "yellow wins", "draw".
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// Winner returns the player who won, or Empty after a draw and during a game.
func (o Outcome) Winner() Disc {
	switch o {
	case RedWins:
		return Red
	case YellowWins:
		return Yellow
	}
	return Empty
}

// Errors of a move. They are returned unwrapped, which costs nothing.
var (
	ErrNoColumn   = errors.New("board: no such column")
	ErrColumnFull = errors.New("board: the column is full")
	ErrGameOver   = errors.New("board: the game is over")
)

// ErrDisc is the error for a player that is neither Red nor Yellow.
var ErrDisc = errors.New("board: not a player")

// Position has the discs on a board and the side to move. Positions can be compared with == and
// used as keys of a map. The zero Position has no cells, and its outcome is a draw.
//
// A Position has only four fields and 24 bytes, because the compiler keeps only structs of up to
// four fields and four words in registers.
type Position struct {
	mover Bitboard // discs of the side to move
	taken Bitboard // discs of both sides
	size  size
	state state
}

type size struct{ columns, rows, connect uint8 }

type state struct {
	turn Disc
	won  bool // the last disc won, so the winner is the side not to move
}

// NewPosition returns the empty board with a player to move. The error is [ErrRules] or [ErrDisc].
func NewPosition(r Rules, first Disc) (Position, error) {
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

// Rules returns the rules of the board.
func (p Position) Rules() Rules {
	return Rules{Columns: int(p.size.columns), Rows: int(p.size.rows), Connect: int(p.size.connect)}
}

// Drop returns the position after the side to move drops a disc into the column, 0 to Columns-1. On
// an error, which is [ErrNoColumn], [ErrColumnFull] or [ErrGameOver], it returns the old position.
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

// lift returns the position without the last disc, which was dropped into the column.
func (p Position) lift(col int) Position {
	disc := Bitboard(1) << (8*col + p.Height(col) - 1)
	return Position{
		mover: p.taken &^ p.mover &^ disc,
		taken: p.taken &^ disc,
		size:  p.size,
		state: state{turn: p.state.turn.Other()},
	}
}

// Outcome reports whether the game is over, and who won.
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

// Turn returns the side to move, Red or Yellow. Once the game is over, it returns the side whose
// turn it would be. For the zero Position it returns Empty.
func (p Position) Turn() Disc { return p.state.turn }

// Ply returns the number of discs on the board, 0 to Columns×Rows.
func (p Position) Ply() int { return p.taken.Count() }

// Height returns the number of discs in a column, numbered from 0; 0 outside the board.
func (p Position) Height(col int) int {
	if uint(col) >= MaxSide {
		return 0
	}
	return bits.Len8(uint8(p.taken >> (uint(8*col) & 63)))
}

// At returns the content of the cell at a column and row, both from 0; Empty outside the board.
func (p Position) At(col, row int) Disc {
	switch {
	case p.mover.Has(col, row):
		return p.state.turn
	case p.taken.Has(col, row):
		return p.state.turn.Other()
	}
	return Empty
}

// LegalMoves yields the columns that can take a disc, from the left. After the game there are none.
func (p Position) LegalMoves() iter.Seq[int] {
	return func(yield func(int) bool) {
		for col := range int(p.size.columns) {
			if p.Legal(col) && !yield(col) {
				return
			}
		}
	}
}

// Legal reports whether a disc can be dropped into a column, numbered from 0.
func (p Position) Legal(col int) bool {
	return uint(col) < uint(p.size.columns) && !p.state.won && p.Height(col) < int(p.size.rows)
}

// Discs returns the cells of a player's discs or, for Empty, the empty cells of the board.
func (p Position) Discs(d Disc) Bitboard {
	switch d {
	case Empty:
		return rectangle(int(p.size.columns), int(p.size.rows)) &^ p.taken
	case p.state.turn:
		return p.mover
	}
	return p.taken &^ p.mover
}

// Lines returns all discs in winning lines. They all belong to the winner, because the first line
// ends the game. Before that, the set is empty.
func (p Position) Lines() Bitboard {
	if !p.state.won {
		return 0
	}
	winners := p.taken &^ p.mover
	return winners & threats(winners, int(p.size.connect))
}

// Threats returns the empty cells in which the player would complete a line, whether or not a disc
// can reach them now. For Empty there are none.
func (p Position) Threats(d Disc) Bitboard {
	if d == Empty {
		return 0
	}
	return threats(p.Discs(d), int(p.size.connect)) & p.Discs(Empty)
}

// String draws the board: a line for each row, the top one first, of [Rules.Letter] for each cell.
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
