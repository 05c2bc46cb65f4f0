package wire

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/quote"
)

// maxDisc is the highest number of a disc: no match has that many.
const maxDisc = 1e6

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

// ReadPress reads the body of a press, with the token if it has one.
func ReadPress(body []byte) (ev game.Event, token string, err error) {
	number := 0
	err = readObject(body, func(name string, value json.RawMessage) error {
		switch {
		case name == "token":
			if err := readToken(value, &token); err != nil {
				return fmt.Errorf("token: %w", err)
			}
			return nil
		case name == "disc":
			if !readNumber(value, &number) || number < 1 || number > maxDisc {
				return errors.New("disc: want the number of the disc in the match, from 1")
			}
			return nil
		case name != "key" && name != "column" && name != "point":
			return fmt.Errorf("%s: unknown field, want key, column, point, disc or token", quote.Short(name))
		case ev != nil:
			return errors.New("want one of key, column and point, not two")
		}
		if name != "key" {
			var col int
			if !readNumber(value, &col) || col < 1 || col > board.MaxSide {
				return fmt.Errorf("%s: want a number from 1 to %d", name, board.MaxSide)
			}
			if ev = (game.Column{Col: col - 1}); name == "point" {
				ev = game.Point{Col: col - 1}
			}
			return nil
		}
		var key string
		if readText(value, &key) {
			for _, k := range keys {
				if k.name == key {
					ev = k.event
					return nil
				}
			}
		}
		return errors.New("key: want left, right, up, down, middle, undo, hint or pause")
	})
	if err == nil && ev == nil {
		err = errors.New(`want {"key":"left"} or {"column":4}`)
	}
	if number > 0 && err == nil {
		column, ok := ev.(game.Column)
		if !ok {
			return nil, token, errors.New("disc: only a column takes it")
		}
		ev = game.Disc{Col: column.Col, Number: number}
	}
	return ev, token, err
}

// WritePress returns the body of a press; ok is false if the protocol has none for it.
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
