package match

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/c4hat/c4hat/board"
)

// Document is a match as JSON: in files, on the socket and for the page.
type Document struct {
	ID       string   `json:"id"`
	Board    string   `json:"board"`
	Connect  int      `json:"connect"`
	Points   int      `json:"points"` // points that win the match
	First    string   `json:"first"`
	Seed     string   `json:"seed,omitempty"` // only if it decides who starts; not every language has 64-bit integers
	Computer string   `json:"computer,omitempty"`
	Level    Level    `json:"level,omitempty"`
	Opening  int      `json:"opening,omitempty"`
	Left     bool     `json:"left,omitempty"`
	Rounds   []string `json:"rounds"` // the last one is Record.Game

	// Only a finished match has these. Result and Score follow from the moves: they are for people and scripts.
	Result string         `json:"result,omitempty"`
	Score  map[string]int `json:"score,omitempty"`
	Ended  string         `json:"ended,omitempty"`

	Programs map[string]string `json:"programs,omitempty"` // by player
}

// Document returns the record's document.
func (r Record) Document() Document {
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
			d.Programs[rules.Name(board.Red+board.Disc(i))] = printable(name)
		}
	}
	return d
}

// Document is like [Record.Document], with the fields of a finished match.
func (f Finished) Document() Document {
	d, final := f.Record.Document(), f.Final()
	rules := final.Rules()
	d.Result = "abandoned"
	if winner := final.Winner(); winner != board.Empty {
		d.Result = rules.Name(winner)
	}
	d.Score = map[string]int{
		rules.Name(board.Red):    final.Points(board.Red),
		rules.Name(board.Yellow): final.Points(board.Yellow),
	}
	if at := credible(f.Ended); !at.IsZero() {
		d.Ended = at.Format(time.RFC3339)
	}
	return d
}

// Record returns the match of the document, by replaying its moves. The last round is not counted,
// even if it is over. If no such match is possible, the error says why.
func (d Document) Record() (Record, error) {
	r, err := d.record()
	if err == nil {
		err = d.same(r.Document())
	}
	return r, err
}

// Finished is like [Document.Record] for a finished match.
func (d Document) Finished() (Finished, error) {
	r, err := d.record()
	ended, _ := time.Parse(time.RFC3339, d.Ended)
	f := Finished{Record: r, Ended: credible(ended)}
	if err == nil {
		err = d.same(f.Document())
	}
	return f, err
}

// record reads the fields from which the others follow. What is no number, no time or no player is left to
// [Document.same].
func (d Document) record() (Record, error) {
	r := Record{ID: d.ID, Opening: d.Opening, Level: d.Level, Left: d.Left}
	columns, rows, err := board.ParseSize(d.Board)
	first, errFirst := board.ParseFirst(d.First)
	if err = cmp.Or(err, errFirst); err != nil {
		return r, fmt.Errorf("match: %w", err)
	}
	rules := board.Rules{Columns: columns, Rows: rows, Connect: d.Connect}
	for i := range r.Programs {
		player := board.Red + board.Disc(i)
		if d.Computer == rules.Name(player) {
			r.Computer = player
		}
		r.Programs[i] = printable(d.Programs[rules.Name(player)]) // it may reach a terminal
	}
	seed, _ := strconv.ParseUint(d.Seed, 10, 64)
	if r.Match, r.Game, err = board.ParseMatch(rules, d.Points, first, seed, d.Rounds); err != nil {
		return r, fmt.Errorf("match: rounds: %w", err)
	}
	if r.ID == "" || len(r.ID) > 64 || strings.Trim(r.ID, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return r, fmt.Errorf("match: id: %q; use 1 to 64 of a-z, 0-9 and '-'", r.ID)
	}
	if most := len(r.Rounds()[0]); r.Opening < 0 || r.Opening > most {
		return r, fmt.Errorf("match: opening: %d discs of a round of %d", r.Opening, most)
	}
	if r.Computer == board.Empty && r.Level != 0 {
		return r, fmt.Errorf("match: level: %v without a computer", r.Level)
	}
	return r, r.Setup().Check()
}

// same returns an error if a document differs from the one that would be written of the match in it: then a
// field is not used, or does not follow from the moves.
func (d Document) same(want Document) error {
	d.Programs, want.Programs = nil, nil // c4hat 0.3 wrote names that cannot be printed
	if !reflect.DeepEqual(d, want) {
		return fmt.Errorf("match: %+v is not what follows from its moves, %+v", d, want)
	}
	return nil
}

// printable returns a text with '?' for what cannot be printed.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}

// MarshalJSON writes the [Document].
func (f Finished) MarshalJSON() ([]byte, error) { return json.Marshal(f.Document()) }

// UnmarshalJSON reads a [Document].
func (f *Finished) UnmarshalJSON(data []byte) error {
	var d Document
	err := json.Unmarshal(data, &d)
	if err == nil {
		*f, err = d.Finished()
	}
	return err
}
