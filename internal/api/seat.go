package api

import (
	"errors"
	"fmt"
	"slices"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/quote"
)

// Seated is the answer to a request that takes a seat, and to one that starts a match.
type Seated struct {
	State
	Token string `json:"token,omitempty"` // the token of the seat, if the request takes one
}

const wantSeat = "a player: red or yellow (blue on 8x8)"

// SeatRequest asks for a seat. If it has a token, it says instead whether the player of the token's
// seat is away (the client still holds the seat, but the player cannot play at the moment), or that
// the program in the seat has failed, which gives the seat up.
type SeatRequest struct {
	Seat  string `json:"seat,omitempty"`
	Final bool   `json:"final,omitempty"` // moves cannot be undone while the seat is taken
	Name  string `json:"name,omitempty"`  // of the program that takes the seat

	Token  string `json:"token,omitempty"`
	Away   bool   `json:"away,omitempty"`   // false: the player is back
	Failed string `json:"failed,omitempty"` // why the program that holds the seat gives it up
}

// ReadSeat reads the body of a request for a seat.
func ReadSeat(body []byte) (r SeatRequest, err error) {
	names, err := fields{
		"seat": text(&r.Seat, wantSeat), "final": boolean(&r.Final), "name": text(&r.Name, "a program's name"),
		"token": token(&r.Token), "away": boolean(&r.Away), "failed": text(&r.Failed, "a reason"),
	}.read(body)
	slices.Sort(names)
	switch {
	case err != nil:
	case !printable(r.Name) || !printable(r.Failed):
		err = errors.New("name and failed must be one printable line of at most 100 bytes")
	case slices.Equal(names, []string{"away", "token"}), slices.Equal(names, []string{"failed", "token"}):
	case r.Seat == "" || r.Token != "" || slices.Contains(names, "away") || slices.Contains(names, "failed"):
		err = errors.New(`no seat is taken or given up: send {"seat":"yellow"}, or a token with away or failed`)
	}
	return r, err
}

// SeatOf returns the player who has a name on a board. An error starts with the field's name.
func SeatOf(r board.Rules, field, name string) (board.Disc, error) {
	for _, player := range [2]board.Disc{board.Red, board.Yellow} {
		if r.Name(player) == name {
			return player, nil
		}
	}
	return board.Empty, fmt.Errorf("%s: %s; use red or %s on this board", field, quote.Short(name), r.Name(board.Yellow))
}

// seatStates has the states of a seat that is not the computer's.
var seatStates = [...]string{game.Open: "open", game.Taken: "taken", game.Away: "taken"}

// writeSeats writes the seats of a match under way, and the names of the programs that hold or held
// seats.
func (s *State) writeSeats(v *game.View) {
	if v.UnderWay {
		s.Seats = map[string]string{}
	}
	for i, seat := range v.Seats {
		player := board.Red + board.Disc(i)
		name := v.Match.Rules().Name(player)
		if v.UnderWay {
			s.Seats[name] = seatStates[seat.State]
			if player == v.Computer {
				s.Seats[name] = "computer"
			}
			if seat.State == game.Away {
				s.Away = append(s.Away, name)
			}
		}
		if seat.Holder != "" {
			if s.Holders == nil {
				s.Holders = map[string]string{}
			}
			s.Holders[name] = seat.Holder
		}
	}
}

func (s State) seats(r game.Record) (read [2]game.Seat, err error) {
	for name, state := range s.Seats {
		player, err := SeatOf(r.Match.Rules(), "seats", name)
		switch {
		case err != nil:
			return read, err
		case state == "taken" && slices.Contains(s.Away, name):
			read[player-board.Red].State = game.Away
		case state == "taken":
			read[player-board.Red].State = game.Taken
		case state != "open" && state != "computer":
			return read, fmt.Errorf("seats: unknown state %q", state)
		}
	}
	for name, holder := range s.Holders {
		player, err := SeatOf(r.Match.Rules(), "holders", name)
		if err != nil {
			return read, err
		}
		if !printable(holder) {
			return read, fmt.Errorf("holders: %q cannot be printed", holder)
		}
		read[player-board.Red].Holder = holder
	}
	return read, nil
}
