package api

import (
	"errors"
	"slices"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// maxDisc is the highest disc number that is accepted; no match has that many discs.
const maxDisc = 1_000_000

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

// ReadPress reads the body of a press. seat is the token of a seat, if the body has one.
func ReadPress(body []byte) (ev game.Event, seat string, err error) {
	key, col, point, disc, selects, chooses := "", 0, 0, 0, 0, 0
	names, err := fields{
		"key": field(&key, "left, right, up, down, middle, undo, hint, pause, back, less, more or look", func(name string) bool {
			_, ok := keys[name]
			return ok
		}),
		"column": number(&col, 1, board.MaxSide), "point": number(&point, 1, board.MaxSide),
		"select": number(&selects, 1, game.MaxChoices), "choose": number(&chooses, 1, game.MaxChoices),
		"disc": number(&disc, 1, maxDisc), "token": token(&seat),
	}.read(body)
	names = slices.DeleteFunc(names, func(name string) bool { return name == "token" || name == "disc" })
	switch {
	case err != nil:
		return nil, seat, err
	case len(names) > 1:
		return nil, seat, errors.New("a press has two of key, column, point, select and choose: send one")
	case len(names) == 0:
		return nil, seat, errors.New(`the press has no key: send {"key":"left"} or {"column":4}`)
	case disc > 0 && col == 0:
		return nil, seat, errors.New("disc: only a column takes it")
	case disc > 0:
		return game.Disc{Col: col - 1, Number: disc}, seat, nil
	case col > 0:
		return game.Column{Col: col - 1}, seat, nil
	case point > 0:
		return game.Point{Col: point - 1}, seat, nil
	case selects > 0:
		return game.Select{Entry: selects - 1}, seat, nil
	case chooses > 0:
		return game.Choose{Entry: chooses - 1}, seat, nil
	}
	return keys[key], seat, nil
}

// WritePress returns the body of a press. ok is false if the protocol has no such event.
func WritePress(ev game.Event, token string) (body any, ok bool) {
	type press struct {
		Key    string `json:"key,omitempty"`
		Column int    `json:"column,omitempty"`
		Disc   int    `json:"disc,omitempty"`
		Point  int    `json:"point,omitempty"`
		Select int    `json:"select,omitempty"`
		Choose int    `json:"choose,omitempty"`
		Token  string `json:"token,omitempty"`
	}
	onBoard := func(col int) bool { return col >= 0 && col < board.MaxSide }
	switch ev := ev.(type) {
	case game.Column:
		return press{Column: ev.Col + 1, Token: token}, onBoard(ev.Col)
	case game.Point:
		return press{Point: ev.Col + 1, Token: token}, onBoard(ev.Col)
	case game.Disc:
		return press{Column: ev.Col + 1, Disc: ev.Number, Token: token}, onBoard(ev.Col) && ev.Number > 0
	case game.Select:
		return press{Select: ev.Entry + 1, Token: token}, ev.Entry >= 0 && ev.Entry < game.MaxChoices
	case game.Choose:
		return press{Choose: ev.Entry + 1, Token: token}, ev.Entry >= 0 && ev.Entry < game.MaxChoices
	}
	for name, event := range keys {
		if event == ev {
			return press{Key: name, Token: token}, true
		}
	}
	return nil, false
}

// ReadAdmit reads the body of a request to show a digit.
func ReadAdmit(body []byte) (digit int, err error) {
	_, err = fields{"digit": number(&digit, 1, 9)}.read(body)
	if err == nil && digit == 0 {
		err = errors.New(`the digit is missing: send {"digit":7}`)
	}
	return digit, err
}
