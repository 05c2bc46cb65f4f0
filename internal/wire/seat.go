package wire

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/quote"
)

// Seated is the answer to a request that takes a seat, and to one that starts a match.
type Seated struct {
	State
	Token string `json:"token,omitempty"` // of the seat, if the request takes one
}

// MaxToken is the most bytes of a token.
const MaxToken = 64

const wantSeat = "a player: red or yellow (blue on 8x8)"

// ReadSeat reads the body of a request for a seat.
func ReadSeat(body []byte) (name string, err error) {
	err = readObject(body, func(field string, value json.RawMessage) error {
		if field != "seat" {
			return fmt.Errorf("%s: unknown field, want seat", quote.Short(field))
		}
		if !readText(value, &name) || name == "" {
			return errors.New("seat: want " + wantSeat)
		}
		return nil
	})
	if err == nil && name == "" {
		err = errors.New(`want {"seat":"yellow"}`)
	}
	return name, err
}

// readToken reads a token in a body.
func readToken(value json.RawMessage, text *string) error {
	if !readText(value, text) || *text == "" || len(*text) > MaxToken {
		return errors.New("token: want the token of a seat")
	}
	return nil
}

// SeatOf returns the player of a seat on a board, by name.
func SeatOf(r board.Rules, field, name string) (board.Disc, error) {
	for _, player := range [2]board.Disc{board.Red, board.Yellow} {
		if r.Name(player) == name {
			return player, nil
		}
	}
	return board.Empty, fmt.Errorf("%s: %s, want red or %s on this board", field, quote.Short(name), r.Name(board.Yellow))
}

// The seats' states in a document.
const (
	seatOpen     = "open"
	seatTaken    = "taken"
	seatComputer = "computer"
)

func writeSeats(v game.View) map[string]string {
	seats := map[string]string{}
	for i, seat := range v.Seats {
		player := board.Red + board.Disc(i)
		state := seatOpen
		switch {
		case player == v.Computer:
			state = seatComputer
		case seat == game.Taken:
			state = seatTaken
		}
		seats[v.Match.Rules().Name(player)] = state
	}
	return seats
}

func readSeats(seats map[string]string, r game.Record) (read [2]game.Seat, err error) {
	for name, state := range seats {
		player, err := SeatOf(r.Match.Rules(), "seats", name)
		switch {
		case err != nil:
			return read, err
		case state == seatTaken:
			read[player-board.Red] = game.Taken
		case state != seatOpen && state != seatComputer:
			return read, fmt.Errorf("seats: unknown state %q", state)
		}
	}
	return read, nil
}
