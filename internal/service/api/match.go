package api

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/quote"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/levels"
)

// MatchRequest asks for a match. For empty fields the service uses its defaults; if Computer is
// empty, two people play.
type MatchRequest struct {
	Board    string `json:"board,omitempty"`    // "7x6"
	Connect  int    `json:"connect,omitempty"`  // discs in a line that win
	Points   int    `json:"points,omitempty"`   // points that win the match
	First    string `json:"first,omitempty"`    // who starts a round: a player, alternate, loser or random
	Computer string `json:"computer,omitempty"` // the player that is the computer
	Level    Level  `json:"level,omitempty"`    // of the computer
	Position string `json:"position,omitempty"` // moves before the first round, "4453"
	Seed     Seed   `json:"seed,omitempty"`
	Force    bool   `json:"force,omitempty"` // replace the match under way
	Take     string `json:"take,omitempty"`  // the player whose seat to take
	Name     string `json:"name,omitempty"`  // of the program that takes it
}

// RequestFor returns the request for a match.
func RequestFor(s game.Start) MatchRequest {
	r := s.Setup.Rules
	m := MatchRequest{
		Board: fmt.Sprintf("%dx%d", r.Columns, r.Rows), Connect: r.Connect, Points: s.Setup.Points, First: s.Setup.First.String(),
		Position: s.Setup.Opening, Level: Level(s.Setup.Level), Seed: Seed(s.Seed), Force: s.Force,
	}
	if s.Setup.First == board.FirstYellow {
		m.First = r.Name(board.Yellow)
	}
	if s.Setup.Computer != board.Empty {
		m.Computer = r.Name(s.Setup.Computer)
	}
	if s.Take.Player != board.Empty {
		m.Take, m.Name = r.Name(s.Take.Player), Short(s.Take.Holder)
	}
	return m
}

// Level is a computer's level, as a name or as a number.
type Level levels.Level

// MarshalJSON writes the name, because another version may number the levels differently.
func (l Level) MarshalJSON() ([]byte, error) { return levels.Level(l).MarshalJSON() }

// UnmarshalJSON reads either.
func (l *Level) UnmarshalJSON(text []byte) error {
	level, err := levels.Parse(strings.Trim(string(text), `"`))
	if err != nil {
		return fmt.Errorf("level: %w", err)
	}
	*l = Level(level)
	return nil
}

// Seed is a number of 64 bits, which some languages can only hold as text.
type Seed uint64

// MarshalJSON writes text.
func (s Seed) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `"%d"`, s), nil }

// UnmarshalJSON reads a number or text.
func (s *Seed) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseUint(strings.Trim(string(text), `"`), 10, 64)
	if *s = Seed(n); err != nil {
		return errors.New("seed: must be a whole number of at most 64 bits")
	}
	return nil
}

// ReadMatch reads the body of a request for a match. An empty body asks for the defaults.
func ReadMatch(body []byte) (m MatchRequest, err error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return m, nil
	}
	if err = decode(body, &m); err == nil && !printable(m.Name) {
		err = errors.New("name: must be one printable line of at most 100 bytes")
	}
	return m, err
}

const wantFirst = "red, yellow (blue on 8x8), alternate, loser or random"

// Start returns the event that starts the requested match. What the request leaves out is taken
// from the service's defaults.
func (m MatchRequest) Start(defaults game.Setup) (game.Start, error) {
	s := game.Setup{Rules: defaults.Rules, Points: cmp.Or(m.Points, defaults.Points), First: defaults.First, Opening: m.Position}
	if m.Board != "" {
		var err error
		if s.Rules.Columns, s.Rules.Rows, err = board.ParseSize(m.Board); err != nil {
			return game.Start{}, fmt.Errorf("board: %s; use COLUMNSxROWS of 1 to %d each, as in 7x6", quote.Short(m.Board), board.MaxSide)
		}
	}
	s.Rules.Connect = cmp.Or(m.Connect, s.Rules.Connect)
	err := m.players(&s)
	if err == nil {
		err = checkSetup(s)
	}
	if err != nil {
		return game.Start{}, err
	}
	take := board.Empty
	if m.Take != "" {
		if take, err = SeatOf(s.Rules, "take", m.Take); err == nil && take == s.Computer {
			err = fmt.Errorf("take: %s is the computer", m.Take)
		}
	}
	return game.Start{Setup: s, Force: m.Force, Seed: uint64(m.Seed), Take: game.Take{Player: take, Holder: m.Name}}, err
}

// players sets who starts and which player is the computer. The request must use the second
// player's name on this board, yellow or blue.
func (m MatchRequest) players(s *game.Setup) (err error) {
	second := s.Rules.Name(board.Yellow)
	if m.First != "" {
		name := m.First
		if name == second {
			name = board.FirstYellow.String()
		} else if name == board.FirstYellow.String() {
			return fmt.Errorf("first: on this board the players are red and %s", second)
		}
		if s.First, err = board.ParseFirst(name); err != nil {
			return fmt.Errorf("first: %s; use %s", quote.Short(m.First), wantFirst)
		}
	}
	switch {
	case m.Computer != "":
		s.Computer, err = SeatOf(s.Rules, "computer", m.Computer)
		s.Level = cmp.Or(levels.Level(m.Level), levels.Usual)
	case m.Level != 0:
		return fmt.Errorf("level: there is no computer player: add \"computer\":%q", second)
	}
	return err
}

// checkSetup calls [game.Setup.Check]. Its errors name the fields of the request.
func checkSetup(s game.Setup) error {
	err := s.Check()
	var move *board.MoveError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, game.ErrNoLine):
		return fmt.Errorf("connect: nobody can get %d in a line on %dx%d: a match could never end", s.Rules.Connect, s.Rules.Columns, s.Rules.Rows)
	case errors.Is(err, game.ErrOpening):
		return errors.New("position: the round is already over there: leave out its last move")
	case errors.As(err, &move):
		return fmt.Errorf("position: move %d, %q: %s", move.Move, move.Rune, move.Reason())
	}
	return err
}
