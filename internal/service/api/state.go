// Package api encodes and decodes the game's JSON: states, presses and requests for a match,
// as doc/socket.md describes them. It does not know how they are transported.
package api

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/words"
)

// State is a view as it is sent over the socket: the view's own JSON and, because clients need not know
// the rules, what follows from the moves. Columns are numbered from 1, and players have the names that
// they have on the match's board.
type State struct {
	game.View
	Match   *match.Document   `json:"match"`             // nil before the first match
	Counted bool              `json:"counted,omitempty"` // the round on the screen is over and its point is counted
	Turn    string            `json:"turn,omitempty"`
	Column  int               `json:"cursor"` // has a meaning only while a player chooses a column, or somebody reads the board
	Points  map[string]int    `json:"points,omitempty"`
	Outcome string            `json:"outcome,omitempty"` // of the round: a player or "draw"
	Winner  string            `json:"winner,omitempty"`  // of the match
	Starts  string            `json:"starts,omitempty"`  // who started the round on the screen
	Page    string            `json:"page,omitempty"`    // of the menu, or "pause"
	Items   []string          `json:"items,omitempty"`   // the choices on that page
	Item    string            `json:"item,omitempty"`    // the selected item
	Hint    *Hint             `json:"hint,omitempty"`
	Refusal *Notice           `json:"notice,omitempty"`
	Holds   map[string]string `json:"seats,omitempty"`   // of a match under way, by player: open, taken, computer
	Holders map[string]string `json:"holders,omitempty"` // the names of programs that hold seats, or held them in the last match
	Away    []string          `json:"away,omitempty"`    // players who cannot play at the moment although their seats are taken
	Colours Picture           `json:"frame"`             // of the LEDs, in the classic palette
	Usual   *match.Terms      `json:"next,omitempty"`    // what a new match against the computer has unless somebody chooses otherwise
	Token   string            `json:"token,omitempty"`   // of the seat that the request has taken
}

// Hint is a [game.Advice].
type Hint struct {
	Exact  bool   `json:"exact"`
	Scores []*int `json:"scores"` // by column; nil for a full column

	Why game.Why `json:"why,omitzero"`
}

// Notice is a [game.Notice].
type Notice struct {
	Text   string          `json:"text"`
	Kind   game.NoticeKind `json:"kind"`
	Column int             `json:"column,omitempty"` // if the notice names one
	Again  int             `json:"again,omitempty"`
}

// NewState returns the state that describes a view.
func NewState(v game.View) State {
	s := State{
		View: v, Column: v.Cursor + 1, Colours: NewPicture(hatpanel.NewColours(hatpanel.Classic, hatpanel.Full).Frame(&v.Frame)),
		Page: v.Choices.Page, Items: v.Choices.All(), Item: v.Choices.Name(),
	}
	if v.Next.Points > 0 {
		next := v.Next.Terms()
		s.Usual = &next
	}
	if v.Notice.Kind != game.NoticeNone {
		s.Refusal = &Notice{Text: v.Text.Refused, Kind: v.Notice.Kind, Again: v.Notice.Again}
		if v.Notice.NamesColumn() {
			s.Refusal.Column = v.Notice.Column + 1
		}
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
	s.Points, s.Holds, s.Holders = map[string]int{}, map[string]string{}, map[string]string{}
	for i, seat := range v.Seats {
		player := board.Red + board.Disc(i)
		name := rules.Name(player)
		s.Points[name] = v.Match.Points(player)
		if seat.Holder != "" {
			s.Holders[name] = seat.Holder
		}
		switch {
		case !v.UnderWay:
		case player == v.Computer:
			s.Holds[name] = "computer"
		case seat.State == game.Open:
			s.Holds[name] = "open"
		default:
			s.Holds[name] = "taken"
		}
		if v.UnderWay && seat.State == game.Away {
			s.Away = append(s.Away, name)
		}
	}
	if v.Phase == game.Hinting {
		s.Hint = &Hint{Exact: v.Advice.Exact, Why: v.Advice.Why, Scores: make([]*int, rules.Columns)}
		for col := range position.LegalMoves() {
			s.Hint.Scores[col] = &v.Advice.Score[col]
		}
	}
	return s
}

// Shown returns the view from which the state was made, without what only the service needs. The
// error says what is wrong with a state of another version.
func (s State) Shown() (v game.View, err error) {
	v = s.View
	v.Cursor, v.Failed = s.Column-1, words.Clean(v.Failed) // another machine may have sent it to a terminal
	if s.Match != nil {
		if v.Record, err = s.Match.Record(); s.Counted {
			v.Record = v.Count()
		}
	} else if v.Phase.InMatch() {
		err = fmt.Errorf("match: missing in phase %v", v.Phase)
	}
	rules := v.Match.Rules()
	if err == nil && (v.Cursor < 0 || v.Cursor >= cmp.Or(rules.Columns, board.MaxSide) || len(s.Items) > len(v.Choices.Names)) {
		err = errors.New("cursor or items: out of range")
	}
	if s.Usual != nil && err == nil {
		v.Next, err = s.Usual.Setup(game.Setup{})
	}
	if err != nil {
		return v, err
	}
	v.Choices.Page = words.Clean(s.Page)
	for i, item := range s.Items {
		v.Choices.Names[i] = words.Clean(item)
	}
	v.Choices.Chosen = max(0, slices.Index(s.Items, s.Item))
	for i := range v.Seats {
		name := rules.Name(board.Red + board.Disc(i))
		v.Seats[i].Holder = words.Clean(s.Holders[name])
		switch {
		case slices.Contains(s.Away, name):
			v.Seats[i].State = game.Away
		case s.Holds[name] == "taken":
			v.Seats[i].State = game.Taken
		}
	}
	if h := s.Hint; h != nil {
		v.Advice = game.Advice{Exact: h.Exact, Why: h.Why}
		for col, score := range h.Scores[:min(len(h.Scores), board.MaxSide)] {
			if score != nil {
				v.Advice.Score[col] = *score
			}
		}
	}
	if n := s.Refusal; n != nil {
		v.Notice = game.Notice{Kind: n.Kind, Column: max(n.Column-1, 0), Again: n.Again}
	}
	return v, nil
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
