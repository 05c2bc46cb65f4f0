package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// Match is a match as it is kept: enough to go on with it. It is a comparable
// value.
type Match struct {
	ID       string      // names the match for ever: 1 to 64 of a-z, 0-9 and '-'
	Match    board.Match // as it was before the round
	Game     board.Game  // the round under way, or just over
	Opening  int         // plies of the first round that were on the board before it
	Computer board.Disc  // the player that the computer is; Empty between two people
	Level    int         // of the computer, from 1; else 0
}

const (
	maxID     = 64
	maxPoints = 3
)

// document is a match in JSON. Of the score it says nothing: that follows from the
// moves, and what is not written cannot contradict them.
type document struct {
	ID       string   `json:"id"`
	Board    string   `json:"board"`
	Connect  int      `json:"connect"`
	Points   int      `json:"points"` // that win the match
	First    string   `json:"first"`
	Seed     string   `json:"seed,omitempty"` // 64 bits do not fit into other languages' numbers
	Computer string   `json:"computer,omitempty"`
	Level    int      `json:"level,omitempty"`
	Opening  int      `json:"opening,omitempty"`
	Rounds   []string `json:"rounds"` // the last one is the game
}

// Begun says whether a disc was dropped in the match, beside those of its opening.
func (m Match) Begun() bool {
	position := m.Game.Position()
	return m.Match.Played() > 0 || position.Ply() > m.Opening
}

// MarshalJSON writes the match as one object. The seed is left out unless it
// decides who starts. The error names the field that cannot be read again.
func (m Match) MarshalJSON() ([]byte, error) {
	d, err := m.document()
	if err != nil {
		return nil, err
	}
	return json.Marshal(d)
}

// UnmarshalJSON reads what [Match.MarshalJSON] writes, and plays its moves again:
// a match that cannot have come about is an error, and so is a field too many.
func (m *Match) UnmarshalJSON(data []byte) error {
	var d document
	if err := decode(data, &d); err != nil {
		return err
	}
	read, err := d.match()
	if err != nil {
		return err
	}
	*m = read
	return nil
}

// document is the match written down; only if it can be read again.
func (m Match) document() (document, error) {
	r := m.Match.Rules()
	d := document{
		ID:      m.ID,
		Board:   fmt.Sprintf("%dx%d", r.Columns, r.Rows),
		Connect: r.Connect,
		Points:  m.Match.Target(),
		First:   m.Match.First().String(),
		Level:   m.Level,
		Opening: m.Opening,
		Rounds:  append(m.Match.Games(), m.Game.String()),
	}
	if m.Match.First() == board.FirstRandom {
		d.Seed = strconv.FormatUint(m.Match.Seed(), 10)
	}
	if m.Computer != board.Empty {
		d.Computer = r.Name(m.Computer)
	}
	again, err := d.play(m.Match.Seed())
	if err == nil && again != m {
		err = errors.New("store: game: not a round of the match: give the match as it was before the round")
	}
	return d, err
}

// match is the match that was written down.
func (d document) match() (Match, error) {
	random := d.First == board.FirstRandom.String()
	if !random && d.Seed != "" {
		return Match{}, fmt.Errorf("store: seed: nothing is drawn with first %q: leave it out", d.First)
	}
	var seed uint64
	if random {
		var err error
		if seed, err = strconv.ParseUint(d.Seed, 10, 64); err != nil {
			return Match{}, fmt.Errorf("store: seed: %q, want a whole number of 64 bits", d.Seed)
		}
	}
	return d.play(seed)
}

// play is the match that the moves lead to.
func (d document) play(seed uint64) (Match, error) {
	m := Match{ID: d.ID, Opening: d.Opening, Level: d.Level}
	if err := checkID(d.ID); err != nil {
		return m, err
	}
	columns, rows, err := board.ParseSize(d.Board)
	if err != nil {
		return m, fmt.Errorf("store: board: %w", err)
	}
	rules := board.Rules{Columns: columns, Rows: rows, Connect: d.Connect}
	if err := rules.Check(); err != nil {
		return m, fmt.Errorf("store: connect: %w", err)
	}
	if !rules.Winnable() {
		return m, fmt.Errorf("store: connect: nobody can win on %v", rules)
	}
	if d.Points < 1 || d.Points > maxPoints {
		return m, fmt.Errorf("store: points: %d, want 1 to %d", d.Points, maxPoints)
	}
	first, err := board.ParseFirst(d.First)
	if err != nil {
		return m, fmt.Errorf("store: first: %w", err)
	}
	if m.Computer, err = player(rules, d.Computer); err != nil {
		return m, err
	}
	switch people := m.Computer == board.Empty; {
	case people && d.Level != 0:
		return m, fmt.Errorf("store: level: %d without a computer", d.Level)
	case !people && (d.Level < 1 || d.Level > levels.Count):
		return m, fmt.Errorf("store: level: %d, want 1 to %d", d.Level, levels.Count)
	}
	if d.Rounds == nil {
		return m, errors.New("store: rounds: there are none, want [] at least")
	}
	if m.Match, m.Game, err = board.ParseMatch(rules, d.Points, first, seed, d.Rounds); err != nil {
		return m, fmt.Errorf("store: rounds: %w", err)
	}
	plies := 0
	if len(d.Rounds) > 0 {
		plies = len(d.Rounds[0])
	}
	if d.Opening < 0 || d.Opening > plies {
		return m, fmt.Errorf("store: opening: %d plies of a round of %d", d.Opening, plies)
	}
	return m, nil
}

// player is who bears the name, Empty without one.
func player(r board.Rules, name string) (board.Disc, error) {
	switch name {
	case "":
		return board.Empty, nil
	case r.Name(board.Red):
		return board.Red, nil
	case r.Name(board.Yellow):
		return board.Yellow, nil
	}
	return board.Empty, fmt.Errorf("store: computer: %q, want %s or %s on this board",
		name, r.Name(board.Red), r.Name(board.Yellow))
}

func checkID(id string) error {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789-"
	if id == "" || len(id) > maxID || strings.Trim(id, letters) != "" {
		return fmt.Errorf("store: id: %q, want 1 to %d of a-z, 0-9 and '-'", id, maxID)
	}
	return nil
}
