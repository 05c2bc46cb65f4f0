package match

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
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

	// Only a finished match has these. Result and Score follow from the moves: they are for people and scripts.
	Result string         `json:"result,omitempty"`
	Score  map[string]int `json:"score,omitempty"`
	Ended  string         `json:"ended,omitempty"`

	Programs map[string]string `json:"programs,omitempty"` // by player
}

const abandoned = "abandoned"

// Document returns the record's document. The seed is left out unless it decides who starts. An error says
// why the document could not be read again.
func (r Record) Document() (Document, error) {
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
			d.Programs[rules.Name(board.Red+board.Disc(i))] = strings.Map(printable, name)
		}
	}
	return d, r.check()
}

// Document is like [Record.Document], with the fields of a finished match. It returns an error if
// the match is not over.
func (f Finished) Document() (Document, error) {
	d, err := f.Record.Document()
	final := f.Final()
	rules := final.Rules()
	d.Result = abandoned
	if winner := final.Winner(); winner != board.Empty {
		d.Result = rules.Name(winner)
	}
	if f.Abandoned != (d.Result == abandoned) {
		err = errors.New("match: result: a match that nobody won is abandoned, and no other")
	}
	d.Score = map[string]int{
		rules.Name(board.Red):    final.Points(board.Red),
		rules.Name(board.Yellow): final.Points(board.Yellow),
	}
	if at := Credible(f.Ended); !at.IsZero() {
		d.Ended = at.Format(time.RFC3339)
	}
	return d, err
}

// Read reads one document with one of these versions, without unknown fields, and nothing after it.
func Read(data []byte, versions ...int) (d Document, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return d, fmt.Errorf("match: not a match: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return d, errors.New("match: not a match: more follows after it")
	}
	if !slices.Contains(versions, d.Version) {
		return d, fmt.Errorf("match: version: %d is not %d: was it written by another c4hat?", d.Version, versions[0])
	}
	return d, nil
}

// Record returns the match of the document, by replaying its moves. The last round is not counted,
// even if it is over. If no such match is possible, the error says why.
func (d Document) Record() (Record, error) {
	r, err := d.record()
	if err != nil {
		return r, err
	}
	return r, d.same(r.Document())
}

// Finished is like [Document.Record] for a finished match.
func (d Document) Finished() (Finished, error) {
	r, err := d.record()
	f := Finished{Record: r, Abandoned: d.Result == abandoned}
	if err != nil {
		return f, err
	}
	ended, _ := time.Parse(time.RFC3339, d.Ended) // one that is no time differs from what is written
	f.Ended = Credible(ended)
	return f, d.same(f.Document())
}

// record reads the fields from which the others follow.
func (d Document) record() (Record, error) {
	r := Record{ID: d.ID, Opening: d.Opening, Level: d.Level, Left: d.Left}
	columns, rows, err := board.ParseSize(d.Board)
	if err != nil {
		return r, fmt.Errorf("match: board: %w", err)
	}
	first, err := board.ParseFirst(d.First)
	if err != nil {
		return r, fmt.Errorf("match: first: %w", err)
	}
	rules := board.Rules{Columns: columns, Rows: rows, Connect: d.Connect}
	for i, side := range []board.Disc{board.Red, board.Yellow} {
		if d.Computer == rules.Name(side) {
			r.Computer = side
		}
		r.Programs[i] = strings.Map(printable, d.Programs[rules.Name(side)])
	}
	seed, _ := strconv.ParseUint(d.Seed, 10, 64) // one that is no number differs from what is written
	if r.Match, r.Game, err = board.ParseMatch(rules, d.Points, first, seed, d.Rounds); err != nil {
		return r, fmt.Errorf("match: rounds: %w", err)
	}
	return r, nil
}

// same returns an error if a document differs from the one that would be written of the match in it: then a
// field is not used, or does not follow from the moves.
func (d Document) same(want Document, err error) error {
	d.Version, want.Version = 0, 0
	for name, program := range d.Programs {
		if strings.Map(printable, program) == want.Programs[name] { // 0.3 wrote some that cannot be printed
			want.Programs[name] = program
		}
	}
	if err == nil && !reflect.DeepEqual(d, want) {
		err = fmt.Errorf("match: %+v is not what follows from its moves, %+v", d, want)
	}
	return err
}

func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return '?'
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
