package game

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// Document is a [Record] as JSON. Files and the socket add a few fields to it. It has no score,
// because the score follows from the moves.
type Document struct {
	ID       string       `json:"id"`
	Board    string       `json:"board"`
	Connect  int          `json:"connect"`
	Points   int          `json:"points"` // points that win the match
	First    string       `json:"first"`
	Seed     string       `json:"seed,omitempty"` // a string, because not every language has 64-bit integers
	Computer string       `json:"computer,omitempty"`
	Level    levels.Level `json:"level,omitempty"`
	Opening  int          `json:"opening,omitempty"`
	Rounds   []string     `json:"rounds"` // the last one is Record.Game
}

// Document returns the record's document. The seed is left out unless it decides who starts. If the
// document could not be read again, Document returns the error that reading it would return.
func (r Record) Document() (Document, error) {
	if err := r.check(); err != nil {
		return Document{}, err
	}
	rules := r.Match.Rules()
	d := Document{
		ID:      r.ID,
		Board:   fmt.Sprintf("%dx%d", rules.Columns, rules.Rows),
		Connect: rules.Connect,
		Points:  r.Match.Target(),
		First:   r.Match.First().String(),
		Level:   r.Level,
		Opening: r.Opening,
		Rounds:  r.Rounds(),
	}
	if r.Match.First() == board.FirstRandom {
		d.Seed = strconv.FormatUint(r.Match.Seed(), 10)
	}
	if r.Computer != board.Empty {
		d.Computer = rules.Name(r.Computer)
	}
	return d, nil
}

// Record returns the match of the document, by replaying its moves. The last round is not counted,
// even if it is over. If no such match is possible, the error says why.
func (d Document) Record() (Record, error) {
	r := Record{ID: d.ID, Opening: d.Opening, Level: d.Level}
	columns, rows, err := board.ParseSize(d.Board)
	if err != nil {
		return r, fmt.Errorf("game: board: %w", err)
	}
	rules := board.Rules{Columns: columns, Rows: rows, Connect: d.Connect}
	if err := rules.Check(); err != nil {
		return r, fmt.Errorf("game: connect: %w", err)
	}
	first, err := board.ParseFirst(d.First)
	if err != nil {
		return r, fmt.Errorf("game: first: %w", err)
	}
	seed, err := d.seed(first)
	if err != nil {
		return r, err
	}
	if r.Computer, err = d.computer(rules); err != nil {
		return r, err
	}
	if d.Rounds == nil {
		return r, errors.New("game: rounds: missing, want [] at least")
	}
	if r.Match, r.Game, err = board.ParseMatch(rules, d.Points, first, seed, d.Rounds); err != nil {
		return r, fmt.Errorf("game: rounds: %w", err)
	}
	return r, r.check()
}

func (d Document) seed(first board.First) (uint64, error) {
	if first != board.FirstRandom {
		if d.Seed != "" {
			return 0, fmt.Errorf("game: seed: not used with first %q: leave it out", d.First)
		}
		return 0, nil
	}
	seed, err := strconv.ParseUint(d.Seed, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("game: seed: %q, want a whole number of 64 bits", d.Seed)
	}
	return seed, nil
}

func (d Document) computer(r board.Rules) (board.Disc, error) {
	switch d.Computer {
	case "":
		return board.Empty, nil
	case r.Name(board.Red):
		return board.Red, nil
	case r.Name(board.Yellow):
		return board.Yellow, nil
	}
	return board.Empty, fmt.Errorf("game: computer: %q, want %s or %s on this board",
		d.Computer, r.Name(board.Red), r.Name(board.Yellow))
}

// MarshalJSON writes the [Document].
func (r Record) MarshalJSON() ([]byte, error) {
	d, err := r.Document()
	if err != nil {
		return nil, err
	}
	return json.Marshal(d)
}

// UnmarshalJSON reads a [Document]. An unknown field is an error.
func (r *Record) UnmarshalJSON(data []byte) error {
	var d Document
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return fmt.Errorf("game: not a match: %w", err)
	}
	read, err := d.Record()
	if err == nil {
		*r = read
	}
	return err
}
