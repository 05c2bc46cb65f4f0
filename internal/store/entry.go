package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// Entry is a line of the history: a finished match.
type Entry struct {
	game.Record
	Abandoned bool
	// Ended is the time on the machine's clock, in UTC and whole seconds. It is zero if the clock
	// showed a time before 2020: a Pi's clock is wrong after a power cut.
	Ended time.Time
}

// result has the fields that an entry's JSON adds to those of the match. Result and score are there
// for people and scripts that read the file. They follow from the moves, and are checked against
// them when the entry is read.
type result struct {
	Result string         `json:"result"`
	Score  map[string]int `json:"score"`
	Ended  string         `json:"ended,omitempty"`
}

type entryDocument struct {
	game.Document
	result
}

const abandoned = "abandoned"

// Final returns the match as it ended, with the last round counted if that round was over.
func (e Entry) Final() board.Match { return e.Count().Match }

// MarshalJSON writes the match's document with the fields of result added. It returns the errors of
// [game.Record.Document], and an error if the match is not over.
func (e Entry) MarshalJSON() ([]byte, error) {
	d, err := e.document()
	if err != nil {
		return nil, err
	}
	return json.Marshal(d)
}

// UnmarshalJSON reads what [Entry.MarshalJSON] writes. A result or a score that does not
// follow from the moves is an error.
func (e *Entry) UnmarshalJSON(data []byte) error {
	var d entryDocument
	if err := decode(data, &d); err != nil {
		return err
	}
	read, err := d.entry()
	if err == nil {
		*e = read
	}
	return err
}

func (e Entry) document() (entryDocument, error) {
	d, err := e.Record.Document()
	if err != nil {
		return entryDocument{}, err
	}
	res, err := e.result()
	return entryDocument{d, res}, err
}

func (d entryDocument) entry() (Entry, error) {
	r, err := d.Record()
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Record: r, Abandoned: d.Result == abandoned}
	if d.Ended != "" {
		ended, err := time.Parse(time.RFC3339, d.Ended)
		if err != nil {
			return Entry{}, fmt.Errorf("store: ended: %q, want a time like 2026-11-20T21:42:05Z", d.Ended)
		}
		e.Ended = credible(ended)
	}
	want, err := e.result()
	switch {
	case err != nil:
		return Entry{}, err
	case d.Result != want.Result:
		return Entry{}, fmt.Errorf("store: result: %q, but the moves say %q", d.Result, want.Result)
	case !maps.Equal(d.Score, want.Score):
		return Entry{}, fmt.Errorf("store: score: not what the moves say, %v", want.Score)
	}
	return e, nil
}

// result returns the result and the score, which follow from the moves, and the time.
func (e Entry) result() (result, error) {
	final := e.Final()
	rules, winner := final.Rules(), final.Winner()
	res := result{
		Result: rules.Name(winner),
		Score: map[string]int{
			rules.Name(board.Red):    final.Points(board.Red),
			rules.Name(board.Yellow): final.Points(board.Yellow),
		},
	}
	switch {
	case e.Abandoned && winner != board.Empty:
		return result{}, errors.New("store: result: the match was won, not abandoned")
	case e.Abandoned:
		res.Result = abandoned
	case winner == board.Empty:
		return result{}, errors.New("store: result: the match is not over: finish it as abandoned")
	}
	if at := credible(e.Ended); !at.IsZero() {
		res.Ended = at.Format(time.RFC3339)
	}
	return res, nil
}

// credible returns the time to store: t, or zero if no match can have ended at t. Years of five
// digits also become zero, because RFC 3339 cannot express them.
func credible(t time.Time) time.Time {
	t = t.UTC().Truncate(time.Second)
	if t.Year() < 2020 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}
