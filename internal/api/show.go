package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/quote"
)

// MaxPlaces is how many players a standing can have. A body of 4 KiB has room for them.
const MaxPlaces = 40

// ShowRequest asks the demo to show a game of a tournament. The board is 7x6 and four in a line win
// if the request does not say otherwise.
type ShowRequest struct {
	Board    string         `json:"board,omitempty"`
	Connect  int            `json:"connect,omitempty"`
	Moves    string         `json:"moves"`
	Standing *game.Standing `json:"standing"`
}

// ReadShow reads the body of a request to show a game.
func ReadShow(body []byte) (ev game.Show, err error) {
	var r ShowRequest
	_, err = fields{
		"board": text(&r.Board, `the board's size, as in "7x6"`), "connect": number(&r.Connect, 2, board.MaxSide), "moves": moves(&r.Moves),
		"standing": func(value json.RawMessage) error {
			d := json.NewDecoder(bytes.NewReader(value))
			d.DisallowUnknownFields()
			if err := d.Decode(&r.Standing); err != nil {
				return errors.New("must be an object such as {\"red\":\"anna\",\"yellow\":\"ben\",\"played\":3,\"games\":10,\"players\":[{\"name\":\"anna\",\"score\":0.75}]}")
			}
			return nil
		},
	}.read(body)
	switch {
	case err != nil:
		return ev, err
	case r.Standing == nil:
		return ev, errors.New("standing is missing: it says who plays, and how the tournament stands")
	}
	rules := board.Standard
	if rules.Columns, rules.Rows, err = board.ParseSize(cmp.Or(r.Board, "7x6")); err != nil {
		return ev, fmt.Errorf("board: %s must be COLUMNSxROWS, as in 7x6", quote.Short(r.Board))
	}
	rules.Connect = cmp.Or(r.Connect, rules.Connect)
	if ev.Game, err = board.ParseGame(rules, board.Red, r.Moves); err != nil {
		return ev, fmt.Errorf("moves: %w", err)
	}
	ev.Standing = r.Standing
	return ev, checkStanding(r.Standing)
}

func checkStanding(s *game.Standing) error {
	if len(s.Players) > MaxPlaces {
		return fmt.Errorf("standing: %d players: at most %d can be shown", len(s.Players), MaxPlaces)
	}
	for _, p := range append([]game.Place{{Name: s.Red}, {Name: s.Yellow}}, s.Players...) {
		if !printable(p.Name) || p.Score < 0 || p.Score > 1 {
			return fmt.Errorf("standing: %s with the score %v: a name must be printable, and a score between 0 and 1", quote.Short(p.Name), p.Score)
		}
	}
	return nil
}
