package api

import (
	"errors"
	"fmt"
	"slices"

	"github.com/c4hat/c4hat/board"
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
