package game

import (
	"encoding/json"
	"errors"
	"math/bits"

	"github.com/c4hat/c4hat/board"
)

// Remark is what everybody sees about a disc, by the rules alone, as a word that programs can compare.
type Remark string

const (
	MissedFour  Remark = "missed-four"  // its player could complete a line, and did not
	MissedBlock Remark = "missed-block" // the opponent could complete a line, and still can
	Cornered    Remark = "cornered"     // the opponent had two cells to complete a line, and only one could be filled
	Under       Remark = "under"        // the opponent can complete a line above it
)

// Kind is a reason why a column is good, as a word that programs can compare. doc/analysis.md defines
// the reasons.
type Kind string

const (
	Wins     Kind = "wins"
	Blocks   Kind = "blocks"
	Threats  Kind = "two-threats"
	Later    Kind = "two-threats-later"
	Zugzwang Kind = "zugzwang"
	Only     Kind = "only"
	Distance Kind = "distance" // none of the others
)

// Near is how many discs, at most, a winner still needs when the end is near, and [Later] is a reason.
const Near = 6

// Seen reports whether people can see the reason on the board.
func (k Kind) Seen() bool { return k == Wins || k == Blocks || k == Threats || k == Zugzwang }

// Why says why a column is good for the side to move. The zero value says nothing. It is comparable.
type Why struct {
	Kind  Kind   `json:"kind,omitempty"`
	Cells Cells  `json:"cells,omitempty"` // that matter
	Line  string `json:"line,omitempty"`  // best play of both sides from this column on, in the notation of [board.Game]
	After int    `json:"after,omitempty"` // how many discs of the line are on the board when the cells begin to matter
}

// Column returns the column, from 0; -1 if there is none.
func (w Why) Column() int {
	if w.Line == "" {
		return -1
	}
	return int(w.Line[0] - '1')
}

// Play returns a game after some discs of the line, which follows it.
func (w Why) Play(g board.Game, discs int) board.Game {
	for _, c := range w.Line[:discs] {
		_ = g.Play(int(c - '1')) // the line has legal columns
	}
	return g
}

// Cells is a set of cells, which JSON has as a list of columns and rows from 1.
type Cells board.Bitboard

// MarshalJSON writes a list, column by column: [[3,1],[6,1]].
func (c Cells) MarshalJSON() ([]byte, error) { return json.Marshal(c.All(1)) }

// UnmarshalJSON is the inverse of MarshalJSON.
func (c *Cells) UnmarshalJSON(text []byte) error {
	var list [][2]int
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*c = 0
	for _, at := range list {
		if min(at[0], at[1]) < 1 || max(at[0], at[1]) > board.MaxSide {
			return errors.New("a cell outside the board")
		}
		*c |= 1 << (board.MaxSide*(at[0]-1) + at[1] - 1)
	}
	return nil
}

// All lists the columns and rows of the cells, column by column, numbered from a number on.
func (c Cells) All(from int) (list [][2]int) {
	for ; c != 0; c &= c - 1 {
		at := bits.TrailingZeros64(uint64(c))
		list = append(list, [2]int{at/board.MaxSide + from, at%board.MaxSide + from})
	}
	return list
}
