// Package api encodes and decodes the game's JSON: states, presses and requests for a match,
// as doc/socket.md describes them. It does not know how they are transported.
package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/words"
)

// State is a view as it is sent over the socket: the view's own JSON, the match as a document, and what follows from
// the moves, because clients need not know the rules. Columns are numbered from 1, and players have the names that
// they have on the match's board.
type State struct {
	game.View
	Text    words.Text           `json:"text"`
	Match   *match.Document      `json:"match"`             // nil before the first match
	Counted bool                 `json:"counted,omitempty"` // the round on the screen is over and its point is counted
	Turn    string               `json:"turn,omitempty"`
	Column  int                  `json:"cursor"` // has a meaning only while a player chooses a column, or somebody reads the board
	Points  map[string]int       `json:"points,omitempty"`
	Outcome string               `json:"outcome,omitempty"` // of the round: a player or "draw"
	Winner  string               `json:"winner,omitempty"`  // of the match
	Starts  string               `json:"starts,omitempty"`  // who started the round on the screen
	Item    string               `json:"item,omitempty"`    // the chosen one of the items
	Seats   map[string]game.Seat `json:"seats,omitempty"`   // by player
	Colours Picture              `json:"frame"`             // of the LEDs, in the classic palette
	Usual   *match.Terms         `json:"next,omitempty"`    // what a new match against the computer has unless somebody chooses otherwise
	Token   string               `json:"token,omitempty"`   // of the seat that the request has taken
	Machine Machine              `json:"machine,omitzero"`  // in the answer to a request for the status
}

// Machine describes the service and its HAT, which the game does not know.
type Machine struct {
	Version  string `json:"version"`
	PID      int    `json:"pid"`
	Uptime   int64  `json:"uptime"`         // of the service, in seconds
	Matrix   bool   `json:"matrix"`         // present
	Joystick bool   `json:"joystick"`       // present
	Lent     bool   `json:"lent,omitempty"` // a program has borrowed the HAT

	// Only for a HAT without kernel drivers: its I²C bus, and the number of failed transfers on
	// the bus, including those that succeeded when they were repeated.
	I2C       string `json:"i2c,omitempty"`
	BusErrors uint64 `json:"bus_errors,omitempty"`
}

// NewState returns the state that describes a view.
func NewState(v game.View) State {
	s := State{
		View: v, Text: words.Of(&v), Column: v.Cursor + 1, Item: v.Choices.Name(),
		Colours: NewPicture(hatpanel.NewColours(hatpanel.Classic, hatpanel.Full).Frame(&v.Frame)),
	}
	if v.Next.Points > 0 {
		next := v.Next.Terms()
		s.Usual = &next
	}
	if v.ID == "" {
		return s
	}
	document := v.Document()
	document.Opening = 0 // only files have it
	s.Match, s.Counted = &document, v.Counted
	position, rules := v.Game.Position(), v.Match.Rules()
	s.Starts = rules.Name(v.Game.Starter())
	if winner := v.Match.Winner(); winner != board.Empty {
		s.Winner = rules.Name(winner)
	}
	switch outcome := position.Outcome(); outcome {
	case board.Playing:
		s.Turn = rules.Name(position.Turn())
	case board.Draw:
		s.Outcome = "draw"
	default:
		s.Outcome = rules.Name(outcome.Winner())
	}
	s.Points, s.Seats = map[string]int{}, map[string]game.Seat{}
	for i, seat := range v.Seats {
		player := board.Red + board.Disc(i)
		s.Points[rules.Name(player)], s.Seats[rules.Name(player)] = v.Match.Points(player), seat
	}
	return s
}

// UnmarshalJSON reads a state, with its view as it was encoded, but for what only the service needs. Whoever has sent
// it, no text in it can command a terminal. The error says what is wrong with a state of another version.
func (s *State) UnmarshalJSON(text []byte) error {
	type plain State
	err := json.Unmarshal(text, (*plain)(s))
	v := &s.View
	v.Cursor, v.Chosen = s.Column-1, max(0, slices.Index(v.Names[:], s.Item))
	switch {
	case err != nil:
	case s.Match != nil:
		if v.Record, err = s.Match.Record(); s.Counted {
			v.Record = v.Count()
		}
	case v.Phase.InMatch():
		err = fmt.Errorf("match: missing in phase %v", v.Phase)
	}
	rules := v.Match.Rules()
	if err == nil && (v.Cursor < 0 || v.Cursor >= cmp.Or(rules.Columns, board.MaxSide)) {
		err = errors.New("cursor: out of range")
	}
	if s.Usual != nil && err == nil {
		v.Next, err = s.Usual.Setup(game.Setup{})
	}
	for i := range v.Seats {
		v.Seats[i] = s.Seats[rules.Name(board.Red+board.Disc(i))]
	}
	clean(reflect.ValueOf(s).Elem())
	return err
}

// clean makes all texts in a value printable.
func clean(v reflect.Value) {
	switch {
	case v.Kind() == reflect.String && v.CanSet():
		v.SetString(match.Printable(v.String()))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			clean(v.Field(i))
		}
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			clean(v.Index(i))
		}
	}
}

// maxText is the length of the longest text in a document, in bytes.
const maxText = 100

// Short returns a text that a document can have: one printable line that is not too long.
func Short(s string) string {
	s = words.Clean(s)
	for len(s) > maxText {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}
