package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
)

// Invalid is an error in a request. It is one line, and names the field.
type Invalid string

func (e Invalid) Error() string { return string(e) }

func invalid(format string, args ...any) error { return Invalid(fmt.Sprintf(format, args...)) }

// Decode reads one JSON object without unknown fields, and with nothing after it. An empty body is an empty
// object. The error is [Invalid].
func Decode(body []byte, request any) error {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return nil
	}
	if body[0] != '{' {
		return invalid("the body is not a JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err := d.Decode(request)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:]
		return invalid("%s: must be %s, not %s", field, wrong.Type.Kind(), wrong.Value)
	}
	if err != nil { // it may have a field's name in it, of any length
		return invalid("%s", Short(strings.TrimPrefix(err.Error(), "json: ")))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return invalid("unexpected data after the JSON object")
	}
	return nil
}

// matchRequest asks for a match.
type matchRequest struct {
	match.Terms
	Position string `json:"position,omitempty"` // moves before the first round, "4453"
	Force    bool   `json:"force,omitempty"`    // replace the match under way
	Take     string `json:"take,omitempty"`     // the player whose seat to take
	Name     string `json:"name,omitempty"`     // of the program that takes it
}

func (m matchRequest) event(usual game.Setup) (game.Event, error) {
	setup, err := m.Setup(usual)
	start := game.Start{Setup: setup, Force: m.Force, Seed: uint64(m.Seed), Take: game.Take{Holder: Short(m.Name)}}
	if start.Setup.Opening = m.Position; err == nil {
		err = start.Setup.Check()
	}
	if err == nil && m.Take != "" {
		if start.Take.Player, err = match.Player("take", m.Take); err == nil && start.Take.Player == setup.Computer {
			err = invalid("take: %s is the computer", m.Take)
		}
	}
	return start, err
}

// press presses a key: it has one of key, column, point, select and choose.
type press struct {
	Key    string `json:"key,omitempty"`
	Action string `json:"action,omitempty"` // of a key of the joystick
	Column int    `json:"column,omitempty"`
	Point  int    `json:"point,omitempty"`
	Select int    `json:"select,omitempty"`
	Choose int    `json:"choose,omitempty"`
	Disc   int    `json:"disc,omitempty"` // the number of the disc for a column
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

func nameOf(key game.Event) string {
	for name, event := range keys {
		if event == key {
			return name
		}
	}
	return ""
}

// actions has the names of a key's actions.
var actions = []string{game.Pressed: "press", game.Held: "hold", game.Released: "release"}

func (p press) event(game.Setup) (ev game.Event, err error) {
	switch p {
	case press{Key: p.Key}:
		ev = keys[p.Key]
	case press{Key: p.Key, Action: p.Action}:
		key, joystick := keys[p.Key].(game.Press)
		if action := slices.Index(actions, p.Action); joystick && action >= 0 {
			key.Action = game.Action(action)
			ev = key
		}
	case press{Column: p.Column}:
		ev = game.Column{Col: p.Column - 1}
	case press{Column: p.Column, Disc: p.Disc}:
		ev = game.Disc{Col: p.Column - 1, Number: p.Disc}
	case press{Point: p.Point}:
		ev = game.Point{Col: p.Point - 1}
	case press{Select: p.Select}:
		ev = game.Select{Entry: p.Select - 1}
	case press{Choose: p.Choose}:
		ev = game.Choose{Entry: p.Choose - 1}
	}
	for _, n := range [4]int{p.Column, p.Point, p.Select, p.Choose} {
		if n < 0 || n > board.MaxSide {
			return nil, invalid("%d: columns and entries are numbers from 1 to %d", n, board.MaxSide)
		}
	}
	if ev == nil || p.Disc < 0 || p.Disc > 0 && p.Column == 0 {
		return nil, invalid(`a press has one of key, column, point, select and choose, as in {"key":"left"}: see doc/socket.md`)
	}
	return ev, nil
}

// seatRequest asks for the seat of a player.
type seatRequest struct {
	Seat string `json:"seat"`
	Name string `json:"name,omitempty"` // of the program that takes the seat
}

func (s seatRequest) event(game.Setup) (game.Event, error) {
	player, err := match.Player("seat", s.Seat)
	return game.Take{Player: player, Holder: Short(s.Name)}, err
}

// Plays are the requests that play the game: each is an event.
var Plays = []string{"POST /v1/press", "POST /v1/match", "DELETE /v1/match", "POST /v1/seat", "DELETE /v1/seat"}

// Event returns the event that a request is for, such as "POST /v1/press", or nil if no event is carried out
// for it. What a request for a match leaves out is as in usual. The error is [Invalid].
func Event(request string, body []byte, usual game.Setup) (ev game.Event, err error) {
	switch request {
	case "GET /v1/status":
		return game.Tick{}, nil
	case "DELETE /v1/match":
		return game.End{}, nil
	case "POST /v1/match":
		return read[matchRequest](body, usual)
	case "POST /v1/press":
		return read[press](body, usual)
	case "POST /v1/seat":
		return read[seatRequest](body, usual)
	case "DELETE /v1/seat":
		var leave game.Leave
		err := Decode(body, &leave)
		return game.Leave{Why: Short(leave.Why)}, err
	}
	return nil, nil
}

func read[R interface {
	event(game.Setup) (game.Event, error)
}](body []byte, usual game.Setup) (game.Event, error) {
	var r R
	if err := Decode(body, &r); err != nil {
		return nil, err
	}
	ev, err := r.event(usual)
	if err != nil {
		return nil, Invalid(err.Error())
	}
	return ev, nil
}

// RequestFor returns the request for an event, which is the inverse of [Event]. It is empty if there is none. The
// request for a match takes no seat: that is another event.
func RequestFor(ev game.Event) (request string, body any) {
	var p press
	switch ev := ev.(type) {
	case game.Tick:
		return "GET /v1/status", nil
	case game.Start:
		m := matchRequest{Terms: ev.Setup.Terms(), Position: ev.Setup.Opening, Force: ev.Force}
		m.Seed = match.Seed(ev.Seed)
		return "POST /v1/match", m
	case game.End:
		return "DELETE /v1/match", nil
	case game.Take:
		return "POST /v1/seat", seatRequest{board.Standard.Name(ev.Player), Short(ev.Holder)}
	case game.Leave:
		return "DELETE /v1/seat", game.Leave{Why: Short(ev.Why)}
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
	case game.Press:
		p.Key, p.Action = nameOf(game.Press{Key: ev.Key}), actions[ev.Action]
	default:
		p.Key = nameOf(ev)
	}
	if same, err := p.event(game.Setup{}); err != nil || same != ev {
		return "", nil
	}
	return "POST /v1/press", p
}

// ReadAnalyse reads the body of a request for an analysis of a game: the moves, who starts and, if it
// is not the standard one, the board. from is the number of plies at the start of the game that are
// not analysed: those of its opening. The error is [Invalid].
func ReadAnalyse(body []byte) (g board.Game, from int, err error) {
	r := struct {
		Moves, Starts, Board string
		From, Connect        int
	}{Starts: "red"}
	if err := Decode(body, &r); err != nil {
		return g, 0, err
	}
	setup, err := match.Terms{Board: r.Board, Connect: r.Connect}.Setup(game.Setup{Rules: board.Standard})
	starter, errStarts := match.Player("starts", r.Starts)
	if err == nil && errStarts == nil {
		g, err = board.ParseGame(setup.Rules, starter, r.Moves)
	}
	if err = cmp.Or(errStarts, err); err != nil {
		return g, 0, Invalid(err.Error())
	}
	if position := g.Position(); r.From < 0 || r.From > position.Ply() {
		return g, 0, invalid("from: the game has fewer plies")
	}
	return g, r.From, nil
}
