package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/quote"
	"github.com/c4hat/c4hat/internal/game"
)

// decode reads one JSON object without unknown fields, and with nothing after it.
func decode(body []byte, request any) error {
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return errors.New("the body is not a JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err := d.Decode(request)
	wrong, typed := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case typed:
		kind := map[string]string{"bool": "true or false", "int": "a whole number", "string": "text"}[wrong.Type.Kind().String()]
		return fmt.Errorf("%s: must be %s, not %s", wrong.Field, kind, wrong.Value)
	case err != nil:
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("unexpected data after the JSON object")
	}
	return nil
}

// pressRequest is the body of a press.
type pressRequest struct {
	Key    string `json:"key,omitempty"`
	Column int    `json:"column,omitempty"`
	Disc   int    `json:"disc,omitempty"`
	Point  int    `json:"point,omitempty"`
	Select int    `json:"select,omitempty"`
	Choose int    `json:"choose,omitempty"`
	Token  string `json:"token,omitempty"`
}

var keys = map[string]game.Event{
	"left":   game.Press{Key: game.Left},
	"right":  game.Press{Key: game.Right},
	"up":     game.Press{Key: game.Up},
	"down":   game.Press{Key: game.Down},
	"middle": game.Press{Key: game.Middle},
	"undo":   game.Undo,
	"hint":   game.Hint,
	"pause":  game.Pause,
	"back":   game.Back,
	"less":   game.Less,
	"more":   game.More,
	"look":   game.OpenLook,
}

// ReadPress reads the body of a press. token is that of a seat, if the body has one.
func ReadPress(body []byte) (ev game.Event, token string, err error) {
	var r pressRequest
	if err := decode(body, &r); err != nil {
		return nil, "", err
	}
	key, known := keys[r.Key]
	var events []game.Event
	for _, part := range []struct {
		name    string
		n, most int
		ev      game.Event
	}{
		{"column", r.Column, board.MaxSide, game.Column{Col: r.Column - 1}}, {"point", r.Point, board.MaxSide, game.Point{Col: r.Point - 1}},
		{"select", r.Select, game.MaxChoices, game.Select{Entry: r.Select - 1}}, {"choose", r.Choose, game.MaxChoices, game.Choose{Entry: r.Choose - 1}},
	} {
		switch {
		case part.n < 0 || part.n > part.most:
			return nil, "", fmt.Errorf("%s: must be a number from 1 to %d", part.name, part.most)
		case part.n > 0:
			events = append(events, part.ev)
		}
	}
	switch {
	case known:
		events = append(events, key)
	case r.Key != "":
		return nil, "", errors.New("key: must be left, right, up, down, middle, undo, hint, pause, back, less, more or look")
	}
	switch {
	case len(events) != 1:
		return nil, "", errors.New(`a press has one of key, column, point, select and choose: send {"key":"left"} or {"column":4}`)
	case r.Disc == 0:
		return events[0], r.Token, nil
	case r.Disc < 0 || r.Column == 0:
		return nil, "", errors.New("disc: only a column takes it, and discs count from 1")
	}
	return game.Disc{Col: r.Column - 1, Number: r.Disc}, r.Token, nil
}

// WritePress returns the body of a press. ok is false if the protocol has no such event.
func WritePress(ev game.Event, token string) (body any, ok bool) {
	onBoard := func(col int) bool { return col >= 0 && col < board.MaxSide }
	switch ev := ev.(type) {
	case game.Column:
		return pressRequest{Column: ev.Col + 1, Token: token}, onBoard(ev.Col)
	case game.Point:
		return pressRequest{Point: ev.Col + 1, Token: token}, onBoard(ev.Col)
	case game.Disc:
		return pressRequest{Column: ev.Col + 1, Disc: ev.Number, Token: token}, onBoard(ev.Col) && ev.Number > 0
	case game.Select:
		return pressRequest{Select: ev.Entry + 1, Token: token}, ev.Entry >= 0 && ev.Entry < game.MaxChoices
	case game.Choose:
		return pressRequest{Choose: ev.Entry + 1, Token: token}, ev.Entry >= 0 && ev.Entry < game.MaxChoices
	}
	for name, event := range keys {
		if event == ev {
			return pressRequest{Key: name, Token: token}, true
		}
	}
	return nil, false
}

// ReadAdmit reads the body of a request to show a digit.
func ReadAdmit(body []byte) (digit int, err error) {
	var r struct{ Digit int }
	if err := decode(body, &r); err != nil {
		return 0, err
	}
	if r.Digit < 1 || r.Digit > 9 {
		return 0, errors.New(`digit: must be a number from 1 to 9: send {"digit":7}`)
	}
	return r.Digit, nil
}

// SeatRequest asks for a seat. If it has a token, it says instead that the program in the token's seat has
// failed, which gives the seat up.
type SeatRequest struct {
	Seat string `json:"seat,omitempty"`
	Name string `json:"name,omitempty"` // of the program that takes the seat

	Token  string `json:"token,omitempty"`
	Failed string `json:"failed,omitempty"` // why the program that holds the seat gives it up
}

// ReadSeat reads the body of a request for a seat.
func ReadSeat(body []byte) (r SeatRequest, err error) {
	err = decode(body, &r)
	takes, tells := r.Seat != "", r.Failed != ""
	switch {
	case err != nil:
	case !printable(r.Name) || !printable(r.Failed):
		err = errors.New("name and failed must be one printable line of at most 100 bytes")
	case takes == tells, tells != (r.Token != ""):
		err = errors.New(`no seat is taken or given up: send {"seat":"yellow"}, or a token with failed`)
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

// ReadAnalyse reads the body of a request for an analysis of a game: the moves, who starts and, if it
// is not the standard one, the board. from is the number of plies at the start of the game that are
// not analysed: those of its opening.
func ReadAnalyse(body []byte) (g board.Game, from int, err error) {
	r := struct {
		Moves, Starts, Board string
		From, Connect        int
	}{Starts: "red", Board: "7x6", Connect: 4}
	if err := decode(body, &r); err != nil {
		return g, 0, err
	}
	rules := board.Rules{Connect: r.Connect}
	if rules.Columns, rules.Rows, err = board.ParseSize(r.Board); err != nil {
		return g, 0, err
	}
	starter, err := SeatOf(rules, "starts", r.Starts)
	if err != nil {
		return g, 0, err
	}
	g, err = board.ParseGame(rules, starter, r.Moves)
	if position := g.Position(); err == nil && (r.From < 0 || r.From > position.Ply()) {
		err = errors.New("from: the game has fewer plies")
	}
	return g, r.From, err
}
