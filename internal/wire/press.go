package wire

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// maxDisc is the highest number of a disc: no match has that many.
const maxDisc = 1_000_000

// keys are the events of keys, by name.
var keys = [...]struct {
	name  string
	event game.Event
}{
	{"left", game.Press{Key: game.Left}},
	{"right", game.Press{Key: game.Right}},
	{"up", game.Press{Key: game.Up}},
	{"down", game.Press{Key: game.Down}},
	{"middle", game.Press{Key: game.Middle}},
	{"undo", game.Undo},
	{"hint", game.Hint},
	{"pause", game.Pause},
}

// ReadPress reads the body of a press. seat is the token of a seat, if the body has one.
func ReadPress(body []byte) (ev game.Event, seat string, err error) {
	col, point, disc := 0, 0, 0
	names, err := fields{
		"column": column(&col), "point": column(&point), "disc": number(&disc, 1, maxDisc), "token": token(&seat),
		"key": func(value json.RawMessage) error {
			var name string
			scalar(value, &name)
			for _, k := range keys {
				if k.name == name {
					ev = k.event
					return nil
				}
			}
			return errors.New("want left, right, up, down, middle, undo, hint or pause")
		},
	}.read(body)
	names = slices.DeleteFunc(names, func(name string) bool { return name == "token" || name == "disc" })
	switch {
	case err != nil:
		return nil, seat, err
	case len(names) > 1:
		return nil, seat, errors.New("want one of key, column and point, not two")
	case len(names) == 0:
		return nil, seat, errors.New(`want {"key":"left"} or {"column":4}`)
	case disc > 0 && col == 0:
		return nil, seat, errors.New("disc: only a column takes it")
	case disc > 0:
		ev = game.Disc{Col: col - 1, Number: disc}
	case col > 0:
		ev = game.Column{Col: col - 1}
	case point > 0:
		ev = game.Point{Col: point - 1}
	}
	return ev, seat, nil
}

// WritePress returns the body of a press; ok is false if the protocol cannot express the event.
func WritePress(ev game.Event, token string) (body any, ok bool) {
	type press struct {
		Key    string `json:"key,omitempty"`
		Column int    `json:"column,omitempty"`
		Disc   int    `json:"disc,omitempty"`
		Point  int    `json:"point,omitempty"`
		Token  string `json:"token,omitempty"`
	}
	switch ev := ev.(type) {
	case game.Column:
		return press{Column: ev.Col + 1, Token: token}, ev.Col >= 0 && ev.Col < board.MaxSide
	case game.Point:
		return press{Point: ev.Col + 1, Token: token}, ev.Col >= 0 && ev.Col < board.MaxSide
	case game.Disc:
		return press{Column: ev.Col + 1, Disc: ev.Number, Token: token}, ev.Col >= 0 && ev.Col < board.MaxSide && ev.Number > 0
	}
	for _, k := range keys {
		if k.event == ev {
			return press{Key: k.name, Token: token}, true
		}
	}
	return nil, false
}
