package match

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// Document is a match as JSON: in files, on the socket and for the page.
type Document struct {
	Version  int          `json:"version,omitempty"` // only in files
	ID       string       `json:"id"`
	Board    string       `json:"board"`
	Connect  int          `json:"connect"`
	Points   int          `json:"points"` // points that win the match
	First    string       `json:"first"`
	Seed     string       `json:"seed,omitempty"` // a string, because not every language has 64-bit integers
	Computer string       `json:"computer,omitempty"`
	Level    levels.Level `json:"level,omitempty"`
	Opening  int          `json:"opening,omitempty"`
	Left     bool         `json:"left,omitempty"` // older versions set such a file aside
	Rounds   []string     `json:"rounds"`         // the last one is Record.Game

	// Only a finished match has these. Result and Score are for people and scripts: they follow from
	// the moves, and are checked against them when the document is read.
	Result string         `json:"result,omitempty"`
	Score  map[string]int `json:"score,omitempty"`
	Ended  string         `json:"ended,omitempty"`

	Programs map[string]string `json:"programs,omitempty"` // by player
}

const abandoned = "abandoned"

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
		Left:    r.Left,
		Rounds:  r.Rounds(),
	}
	if r.Match.First() == board.FirstRandom {
		d.Seed = strconv.FormatUint(r.Match.Seed(), 10)
	}
	if r.Computer != board.Empty {
		d.Computer = rules.Name(r.Computer)
	}
	for i, name := range r.Programs {
		if name != "" {
			if d.Programs == nil {
				d.Programs = map[string]string{}
			}
			d.Programs[rules.Name(board.Red+board.Disc(i))] = name
		}
	}
	return d, nil
}

// Document is like [Record.Document], with the fields of a finished match. It returns an error if
// the match is not over.
func (f Finished) Document() (Document, error) {
	d, err := f.Record.Document()
	if err != nil {
		return d, err
	}
	final := f.Final()
	rules, winner := final.Rules(), final.Winner()
	d.Result = rules.Name(winner)
	switch {
	case f.Abandoned && winner != board.Empty:
		return d, errors.New("match: result: the match was won, not abandoned")
	case f.Abandoned:
		d.Result = abandoned
	case winner == board.Empty:
		return d, errors.New("match: result: the match is not over: finish it as abandoned")
	}
	d.Score = map[string]int{
		rules.Name(board.Red):    final.Points(board.Red),
		rules.Name(board.Yellow): final.Points(board.Yellow),
	}
	if at := Credible(f.Ended); !at.IsZero() {
		d.Ended = at.Format(time.RFC3339)
	}
	return d, nil
}

// Read reads one document with one of these versions, and nothing after it.
func Read(data []byte, versions ...int) (d Document, err error) {
	if err := Strict(data, &d); err != nil {
		return d, err
	}
	if !slices.Contains(versions, d.Version) {
		return d, fmt.Errorf("match: version: %d is not %d: was it written by another c4hat?", d.Version, versions[0])
	}
	return d, nil
}

// Strict reads one JSON value without unknown fields, and nothing after it.
func Strict(data []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return fmt.Errorf("match: not a match: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("match: not a match: more follows after it")
	}
	return nil
}

// Record returns the match of the document, by replaying its moves. The last round is not counted,
// even if it is over. If no such match is possible, the error says why.
func (d Document) Record() (Record, error) {
	if d.Result != "" || d.Score != nil || d.Ended != "" {
		return Record{}, errors.New("match: result: this match is not over")
	}
	return d.record()
}

func (d Document) record() (Record, error) {
	r := Record{ID: d.ID, Opening: d.Opening, Level: d.Level, Left: d.Left}
	columns, rows, err := board.ParseSize(d.Board)
	if err != nil {
		return r, fmt.Errorf("match: board: %w", err)
	}
	rules := board.Rules{Columns: columns, Rows: rows, Connect: d.Connect}
	if err := rules.Check(); err != nil {
		return r, fmt.Errorf("match: connect: %w", err)
	}
	first, err := board.ParseFirst(d.First)
	if err != nil {
		return r, fmt.Errorf("match: first: %w", err)
	}
	var seed uint64
	switch random := first == board.FirstRandom; {
	case random:
		if seed, err = strconv.ParseUint(d.Seed, 10, 64); err != nil {
			return r, fmt.Errorf("match: seed: %q is not a whole number of 64 bits", d.Seed)
		}
	case d.Seed != "":
		return r, fmt.Errorf("match: seed: not used with first %q: leave it out", d.First)
	}
	if d.Computer != "" {
		if r.Computer, err = player(rules, "computer", d.Computer); err != nil {
			return r, err
		}
	}
	for name, program := range d.Programs {
		side, err := player(rules, "programs", name)
		if err != nil {
			return r, err
		}
		r.Programs[side-board.Red] = strings.Map(printable, program)
	}
	if d.Rounds == nil {
		return r, errors.New("match: rounds: missing; use [] if there are none")
	}
	if r.Match, r.Game, err = board.ParseMatch(rules, d.Points, first, seed, d.Rounds); err != nil {
		return r, fmt.Errorf("match: rounds: %w", err)
	}
	return r, r.check()
}

// player returns the player that a field names.
func player(rules board.Rules, field, name string) (board.Disc, error) {
	switch name {
	case rules.Name(board.Red):
		return board.Red, nil
	case rules.Name(board.Yellow):
		return board.Yellow, nil
	}
	return board.Empty, fmt.Errorf("match: %s: %q is not %s or %s on this board",
		field, name, rules.Name(board.Red), rules.Name(board.Yellow))
}

func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return '?'
}

// Finished is like [Document.Record] for a finished match. A result or a score that does not follow
// from the moves is an error.
func (d Document) Finished() (Finished, error) {
	r, err := d.record()
	if err != nil {
		return Finished{}, err
	}
	f := Finished{Record: r, Abandoned: d.Result == abandoned}
	if d.Ended != "" {
		ended, err := time.Parse(time.RFC3339, d.Ended)
		if err != nil {
			return Finished{}, fmt.Errorf("match: ended: %q is not a time like 2026-11-20T21:42:05Z", d.Ended)
		}
		f.Ended = Credible(ended)
	}
	want, err := f.Document()
	switch {
	case err != nil:
		return Finished{}, err
	case d.Result != want.Result:
		return Finished{}, fmt.Errorf("match: result: %q, but the moves say %q", d.Result, want.Result)
	case !maps.Equal(d.Score, want.Score):
		return Finished{}, fmt.Errorf("match: score: not what the moves say, %v", want.Score)
	}
	return f, nil
}

// MarshalJSON writes the [Document].
func (f Finished) MarshalJSON() ([]byte, error) {
	d, err := f.Document()
	if err != nil {
		return nil, err
	}
	return json.Marshal(d)
}

// UnmarshalJSON reads a [Document].
func (f *Finished) UnmarshalJSON(data []byte) error {
	d, err := Read(data, 0)
	if err == nil {
		*f, err = d.Finished()
	}
	return err
}
