package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// Invalid is an error in a request. It is one line, and names the field.
type Invalid string

func (e Invalid) Error() string { return string(e) }

func invalid(format string, args ...any) error { return Invalid(fmt.Sprintf(format, args...)) }

// Decode reads one JSON object without unknown fields, and with nothing after it. The error is [Invalid].
func Decode(body []byte, request any) error {
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return invalid("the body is not a JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err := d.Decode(request)
	wrong, typed := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case typed:
		kind := map[string]string{"bool": "true or false", "int": "a whole number", "string": "text", "slice": "a list"}[wrong.Type.Kind().String()]
		return invalid("%s: must be %s, not %s", wrong.Field, kind, wrong.Value)
	case err != nil: // which may have a field's name in it, of any length
		text := strings.TrimPrefix(err.Error(), "json: ")
		return invalid("%s", text[:min(len(text), maxText)])
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return invalid("unexpected data after the JSON object")
	}
	return nil
}

// Press is the body of a press: one of the first five fields and, with a column, the number of the disc.
type Press struct {
	Key    string `json:"key,omitempty"`
	Column int    `json:"column,omitempty"`
	Point  int    `json:"point,omitempty"`
	Select int    `json:"select,omitempty"`
	Choose int    `json:"choose,omitempty"`
	Disc   int    `json:"disc,omitempty"`
	Token  string `json:"token,omitempty"` // of the seat
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

// Event returns the game's event. The error is [Invalid].
func (p Press) Event() (game.Event, error) {
	var events []game.Event
	for _, field := range []struct {
		name    string
		n, most int
		ev      game.Event
	}{
		{"column", p.Column, board.MaxSide, game.Column{Col: p.Column - 1}},
		{"point", p.Point, board.MaxSide, game.Point{Col: p.Point - 1}},
		{"select", p.Select, game.MaxChoices, game.Select{Entry: p.Select - 1}},
		{"choose", p.Choose, game.MaxChoices, game.Choose{Entry: p.Choose - 1}},
	} {
		if field.n < 0 || field.n > field.most {
			return nil, invalid("%s: must be a number from 1 to %d", field.name, field.most)
		}
		if field.n > 0 {
			events = append(events, field.ev)
		}
	}
	if key, known := keys[p.Key]; known {
		events = append(events, key)
	} else if p.Key != "" {
		return nil, invalid("key: must be left, right, up, down, middle, undo, hint, pause, back, less, more or look")
	}
	switch {
	case len(events) != 1:
		return nil, invalid(`a press has one of key, column, point, select and choose: send {"key":"left"} or {"column":4}`)
	case p.Disc == 0:
		return events[0], nil
	case p.Disc < 0 || p.Column == 0:
		return nil, invalid("disc: only a column takes it, and discs count from 1")
	}
	return game.Disc{Col: p.Column - 1, Number: p.Disc}, nil
}

// PressOf returns the press whose event is ev. ok is false if there is none.
func PressOf(ev game.Event, token string) (p Press, ok bool) {
	p.Token = token
	switch ev := ev.(type) {
	case game.Column:
		p.Column = ev.Col + 1
	case game.Disc:
		p.Column, p.Disc = ev.Col+1, ev.Number
	case game.Point:
		p.Point = ev.Col + 1
	case game.Select:
		p.Select = ev.Entry + 1
	case game.Choose:
		p.Choose = ev.Entry + 1
	default:
		for name, event := range keys {
			if event == ev {
				p.Key = name
			}
		}
	}
	same, err := p.Event()
	return p, err == nil && same == ev
}

// SeatRequest asks for a seat. If it has a token, it says instead that the program in the token's seat has
// failed, which gives the seat up.
type SeatRequest struct {
	Seat string `json:"seat,omitempty"`
	Name string `json:"name,omitempty"` // of the program that takes the seat

	Token  string `json:"token,omitempty"`
	Failed string `json:"failed,omitempty"` // why the program that holds the seat gives it up
}

// Check returns an [Invalid] error if the request does not say what to do.
func (r SeatRequest) Check() error {
	takes, tells := r.Seat != "", r.Failed != ""
	switch {
	case !printable(r.Name) || !printable(r.Failed):
		return invalid("name and failed must be one printable line of at most %d bytes", maxText)
	case takes == tells, tells != (r.Token != ""):
		return invalid(`no seat is taken or given up: send {"seat":"yellow"}, or a token with failed`)
	}
	return nil
}

// ReadAdmit reads the body of a request to show a digit. The error is [Invalid].
func ReadAdmit(body []byte) (digit int, err error) {
	var r struct{ Digit int }
	if err := Decode(body, &r); err != nil {
		return 0, err
	}
	if r.Digit < 1 || r.Digit > 9 {
		return 0, invalid(`digit: must be a number from 1 to 9: send {"digit":7}`)
	}
	return r.Digit, nil
}

// SeatOf returns the player who has a name on a board. The error is [Invalid], and starts with the field's
// name.
func SeatOf(r board.Rules, field, name string) (board.Disc, error) {
	for _, player := range [2]board.Disc{board.Red, board.Yellow} {
		if r.Name(player) == name {
			return player, nil
		}
	}
	return board.Empty, invalid("%s: %s; use red or %s on this board", field, words.Quote(name), r.Name(board.Yellow))
}

// ReadAnalyse reads the body of a request for an analysis of a game: the moves, who starts and, if it
// is not the standard one, the board. from is the number of plies at the start of the game that are
// not analysed: those of its opening. The error is [Invalid].
func ReadAnalyse(body []byte) (g board.Game, from int, err error) {
	r := struct {
		Moves, Starts, Board string
		From, Connect        int
	}{Starts: "red", Board: "7x6", Connect: 4}
	if err := Decode(body, &r); err != nil {
		return g, 0, err
	}
	rules := board.Rules{Connect: r.Connect}
	if rules.Columns, rules.Rows, err = board.ParseSize(r.Board); err != nil {
		return g, 0, invalid("%v", err)
	}
	starter, err := SeatOf(rules, "starts", r.Starts)
	if err != nil {
		return g, 0, err
	}
	if g, err = board.ParseGame(rules, starter, r.Moves); err != nil {
		return g, 0, invalid("%v", err)
	}
	if position := g.Position(); r.From < 0 || r.From > position.Ply() {
		return g, 0, invalid("from: the game has fewer plies")
	}
	return g, r.From, nil
}
