package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/words"
)

// MatchRequest asks for a match. For empty fields the service uses its defaults; if Computer is
// empty, two people play.
type MatchRequest struct {
	Board    string          `json:"board,omitempty"`    // "7x6"
	Connect  int             `json:"connect,omitempty"`  // discs in a line that win
	Points   int             `json:"points,omitempty"`   // points that win the match
	First    string          `json:"first,omitempty"`    // who starts a round: a player, alternate, loser or random
	Computer string          `json:"computer,omitempty"` // the player that is the computer
	Level    match.Level     `json:"level,omitempty"`    // of the computer, by name or number
	Position string          `json:"position,omitempty"` // moves before the first round, "4453"
	Seed     json.RawMessage `json:"seed,omitempty"`     // 64 bits: a number, or text for languages that have only 53
	Force    bool            `json:"force,omitempty"`    // replace the match under way
	Take     string          `json:"take,omitempty"`     // the player whose seat to take
	Name     string          `json:"name,omitempty"`     // of the program that takes it
}

// RequestFor returns the request for a match.
func RequestFor(s game.Start) MatchRequest {
	r := s.Setup.Rules
	m := MatchRequest{
		Board: fmt.Sprintf("%dx%d", r.Columns, r.Rows), Connect: r.Connect, Points: s.Setup.Points, First: s.Setup.First.String(),
		Level: s.Setup.Level, Position: s.Setup.Opening, Force: s.Force,
	}
	if s.Setup.First == board.FirstYellow {
		m.First = r.Name(board.Yellow)
	}
	if s.Setup.Computer != board.Empty {
		m.Computer = r.Name(s.Setup.Computer)
	}
	if s.Seed != 0 {
		m.Seed = fmt.Appendf(nil, `"%d"`, s.Seed)
	}
	if s.Take.Player != board.Empty {
		m.Take, m.Name = r.Name(s.Take.Player), Short(s.Take.Holder)
	}
	return m
}

// ReadMatch reads the body of a request for a match. An empty body asks for the defaults. The error is
// [Invalid].
func ReadMatch(body []byte) (m MatchRequest, err error) {
	if len(bytes.TrimSpace(body)) > 0 {
		err = Decode(body, &m)
	}
	return m, err
}

// Start returns the event that starts the requested match. What the request leaves out is taken from the
// service's defaults. The error is [Invalid].
func (m MatchRequest) Start(defaults game.Setup) (start game.Start, err error) {
	s := game.Setup{Rules: defaults.Rules, Points: cmp.Or(m.Points, defaults.Points), First: defaults.First, Opening: m.Position}
	s.Rules.Connect = cmp.Or(m.Connect, s.Rules.Connect)
	if m.Board != "" {
		if s.Rules.Columns, s.Rules.Rows, err = board.ParseSize(m.Board); err != nil {
			return start, invalid("board: %s; use COLUMNSxROWS of 1 to %d each, as in 7x6", words.Quote(m.Board), board.MaxSide)
		}
	}
	second := s.Rules.Name(board.Yellow)
	switch m.First {
	case "":
	case second:
		s.First = board.FirstYellow
	default:
		if s.First, err = board.ParseFirst(m.First); err != nil || s.First == board.FirstYellow {
			return start, invalid("first: %s; use red, %s, alternate, loser or random", words.Quote(m.First), second)
		}
	}
	if m.Computer != "" {
		if s.Computer, err = SeatOf(s.Rules, "computer", m.Computer); err != nil {
			return start, err
		}
		s.Level = cmp.Or(m.Level, match.UsualLevel)
	} else if m.Level != 0 {
		return start, invalid("level: there is no computer player: add \"computer\":%q", second)
	}
	if err := s.Check(); err != nil {
		return start, invalid("%v", err)
	}
	start = game.Start{Setup: s, Force: m.Force, Take: game.Take{Holder: m.Name}}
	if m.Seed != nil {
		if start.Seed, err = strconv.ParseUint(strings.Trim(string(m.Seed), `"`), 10, 64); err != nil {
			return start, invalid("seed: must be a whole number of at most 64 bits")
		}
	}
	if !printable(m.Name) {
		return start, invalid("name: must be one printable line of at most %d bytes", maxText)
	}
	if m.Take != "" {
		if start.Take.Player, err = SeatOf(s.Rules, "take", m.Take); err == nil && start.Take.Player == s.Computer {
			err = invalid("take: %s is the computer", m.Take)
		}
	}
	return start, err
}
