package match

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/c4hat/c4hat/board"
)

// Terms are what is agreed before a match, as JSON: in the match's document and in a request for one.
type Terms struct {
	Board    string `json:"board,omitempty"`   // "7x6"
	Connect  int    `json:"connect,omitempty"` // discs in a line that win
	Points   int    `json:"points,omitempty"`  // points that win the match
	First    string `json:"first,omitempty"`   // who starts a round: a player, alternate, loser or random
	Seed     Seed   `json:"seed,omitzero"`
	Computer string `json:"computer,omitempty"` // the player that is the computer
	Level    Level  `json:"level,omitempty"`    // of the computer, by name or number
}

// Seed is a seed of 64 bits. JSON has it as text, because not every language has such numbers; a number is
// read too.
type Seed uint64

// MarshalJSON writes text.
func (s Seed) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `"%d"`, s), nil }

// UnmarshalJSON reads text or a number.
func (s *Seed) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseUint(strings.Trim(string(text), `"`), 10, 64)
	if err != nil {
		return errors.New("seed: must be a whole number of at most 64 bits")
	}
	*s = Seed(n)
	return nil
}

// Terms returns the terms of a setup.
func (s Setup) Terms() Terms {
	t := Terms{
		Board: fmt.Sprintf("%dx%d", s.Rules.Columns, s.Rules.Rows), Connect: s.Rules.Connect, Points: s.Points,
		First: s.First.String(), Level: s.Level,
	}
	if s.Computer != board.Empty {
		t.Computer = s.Rules.Name(s.Computer)
	}
	return t
}

// Setup returns the setup with these terms. What they leave out is as in usual, but for the computer. The
// error starts with the name of a field.
func (t Terms) Setup(usual Setup) (s Setup, err error) {
	s = Setup{Rules: usual.Rules, Points: cmp.Or(t.Points, usual.Points), First: usual.First, Level: t.Level}
	s.Rules.Connect = cmp.Or(t.Connect, s.Rules.Connect)
	if t.Board != "" {
		if s.Rules.Columns, s.Rules.Rows, err = board.ParseSize(t.Board); err != nil {
			return s, err
		}
	}
	if t.First != "" {
		name := t.First
		if name == "blue" {
			name = "yellow"
		}
		if s.First, err = board.ParseFirst(name); err != nil {
			return s, fmt.Errorf("first: %.20q; use red, yellow, alternate, loser or random", t.First)
		}
	}
	if t.Computer != "" {
		s.Computer, err = Player("computer", t.Computer)
		s.Level = cmp.Or(s.Level, UsualLevel)
	} else if t.Level != 0 {
		err = errors.New(`level: there is no computer player: add "computer":"yellow"`)
	}
	return s, err
}

// Player returns the player with a name. The second player is yellow or blue on every board. The error starts
// with the name of the field.
func Player(field, name string) (board.Disc, error) {
	switch name {
	case "red":
		return board.Red, nil
	case "yellow", "blue":
		return board.Yellow, nil
	}
	return board.Empty, fmt.Errorf("%s: %.20q; use red, yellow or, if it is 8x8, blue", field, name)
}

// Document is a match as JSON: in files, on the socket and for the page. Its seed is there only if it decides
// who starts.
type Document struct {
	ID string `json:"id"`
	Terms
	Opening int      `json:"opening,omitempty"`
	Left    bool     `json:"left,omitempty"`
	Rounds  []string `json:"rounds"` // the last one is Record.Game

	// Only a finished match has these. Result and Score follow from the moves: they are for people and scripts.
	Result string         `json:"result,omitempty"`
	Score  map[string]int `json:"score,omitempty"`
	Ended  string         `json:"ended,omitempty"`

	Programs map[string]string `json:"programs,omitempty"` // by player
}

// Document returns the record's document.
func (r Record) Document() Document {
	rules := r.Match.Rules()
	d := Document{ID: r.ID, Terms: r.Setup().Terms(), Opening: r.Opening, Left: r.Left, Rounds: r.Rounds()}
	if r.Match.First() == board.FirstRandom {
		d.Seed = Seed(r.Match.Seed())
	}
	for i, name := range r.Programs {
		if name != "" {
			if d.Programs == nil {
				d.Programs = map[string]string{}
			}
			d.Programs[rules.Name(board.Red+board.Disc(i))] = Printable(name)
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
	s, err := d.Setup(Setup{})
	if err != nil {
		return Record{}, fmt.Errorf("match: %w", err)
	}
	r := Record{ID: d.ID, Opening: d.Opening, Computer: s.Computer, Level: s.Level, Left: d.Left}
	for i := range r.Programs {
		r.Programs[i] = Printable(d.Programs[s.Rules.Name(board.Red+board.Disc(i))]) // it may reach a terminal
	}
	if r.Match, r.Game, err = board.ParseMatch(s.Rules, s.Points, s.First, uint64(d.Seed), d.Rounds); err != nil {
		return r, fmt.Errorf("match: rounds: %w", err)
	}
	if r.ID == "" || len(r.ID) > 64 || strings.Trim(r.ID, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return r, fmt.Errorf("match: id: %q; use 1 to 64 of a-z, 0-9 and '-'", r.ID)
	}
	if most := len(r.Rounds()[0]); r.Opening < 0 || r.Opening > most {
		return r, fmt.Errorf("match: opening: %d discs of a round of %d", r.Opening, most)
	}
	return r, r.Setup().Check()
}

// Finished is like [Document.Record] for a finished match, whose result must be that of its moves.
func (d Document) Finished() (Finished, error) {
	r, err := d.Record()
	ended, _ := time.Parse(time.RFC3339, d.Ended)
	f := Finished{Record: r, Ended: credible(ended)}
	if err == nil && f.Document().Result != d.Result {
		err = fmt.Errorf("match: result: %.20q is not what follows from the moves", d.Result)
	}
	return f, err
}

// Printable returns a foreign text with a question mark for each character that cannot be printed, such as the
// escape that starts a terminal's commands.
func Printable(text string) string {
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
