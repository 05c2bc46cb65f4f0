package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
)

var usual = game.Setup{Rules: board.Standard, Points: 2, First: board.FirstLoser}

// start returns the start of the usual match, with changes.
func start(change func(*game.Start)) game.Start {
	s := game.Start{Setup: usual}
	change(&s)
	return s
}

// A request is for one event, and RequestFor finds it again; or its error says what is wrong.
func TestEvent(t *testing.T) {
	const play, press, seat = "POST /v1/match ", "POST /v1/press ", "POST /v1/seat "
	const one = "a press has one of key, column, point"
	for _, tt := range []struct {
		request string
		want    any // an event, or what the error says
	}{
		{"GET /v1/status", game.Tick{}},
		{"DELETE /v1/match", game.End{}},
		{"GET /v1/events", nil},
		{"GET /nowhere", nil},

		{play, start(func(*game.Start) {})},
		{play + " {} ", start(func(*game.Start) {})},
		{play + `{"board":"8x8","connect":5,"points":1,"first":"blue","computer":"blue","level":"easy","position":"4453","seed":"18446744073709551615","force":true,"take":"red","name":"bot"}`,
			game.Start{Force: true, Seed: 1<<64 - 1, Take: game.Take{Player: board.Red, Holder: "bot"}, Setup: game.Setup{
				Rules: board.Rules{Columns: 8, Rows: 8, Connect: 5}, Points: 1, First: board.FirstYellow, Computer: board.Yellow, Level: match.Easy, Opening: "4453",
			}}},
		{play + `{"computer":"red","seed":7}`, start(func(s *game.Start) { s.Seed, s.Setup.Computer, s.Setup.Level = 7, board.Red, match.Medium })},
		{play + `{"computer":"red","level":6}`, start(func(s *game.Start) { s.Setup.Computer, s.Setup.Level = board.Red, match.Perfect })},
		{play + `{"board":"9x9"}`, `board: invalid board size: "9x9"; use COLUMNSxROWS`},
		{play + `{"board":7}`, "board: must be string, not number"},
		{play + `{"connect":9}`, "a line of 9; use 2 to 8"},
		{play + `{"connect":8}`, "connect: nobody can get 8 in a line on 7x6"},
		{play + `{"board":"3x3"}`, "connect: nobody can get 4 in a line on 3x3"},
		{play + `{"points":4}`, "use 1 to 3"},
		{play + `{"points":"2"}`, "points: must be int, not string"},
		{play + `{"points":1.5}`, "points: must be"},
		{play + `{"points":1e99}`, "points: must be"},
		{play + `{"first":"green"}`, `first: "green"; use red`},
		{play + `{"computer":"green"}`, `computer: "green"; use red, yellow`},
		{play + `{"computer":true}`, "computer: must be"},
		{play + `{"level":3}`, `level: there is no computer player: add "computer":"yellow"`},
		{play + `{"computer":"red","level":77}`, "level: must be novice, beginner, easy"},
		{play + `{"computer":"red","level":0}`, "level: must be"},
		{play + `{"computer":"red","level":"great"}`, "level: must be"},
		{play + `{"computer":"red","level":[3]}`, "level: must be"},
		{play + `{"position":"48"}`, "position: move 2, '8': there is no such column"},
		{play + `{"position":"1212121"}`, "position: these moves end the round"},
		{play + `{"seed":-1}`, "seed: must be"},
		{play + `{"seed":"1x"}`, "seed: must be"},
		{play + `{"seed":18446744073709551616}`, "seed: must be"},
		{play + `{"seed":null}`, "seed: must be"},
		{play + `{"force":"yes"}`, "force: must be bool, not string"},
		{play + `{"take":"green"}`, `take: "green"; use red`},
		{play + `{"take":"blue","computer":"yellow"}`, "take: blue is the computer"},
		{play + `{"colour":"red"}`, `unknown field "colour"`},
		{play + `{"` + strings.Repeat("colour", 100) + `":1}`, `unknown field "colourcolour`},
		{play + `{"points":1} x`, "unexpected data after"},
		{play + `{"points":1`, "unexpected EOF"},
		{play + `[]`, "the body is not a JSON object"},
		{play + `null`, "the body is not a JSON object"},
		{play + `points=1`, "the body is not a JSON object"},

		{press + `{"key":"left"}`, game.Press{Key: game.Left}},
		{press + `{"key":"right"}`, game.Press{Key: game.Right}},
		{press + `{"key":"up"}`, game.Press{Key: game.Up}},
		{press + `{"key":"down"}`, game.Press{Key: game.Down}},
		{press + `{"key":"middle"}`, game.Press{Key: game.Middle}},
		{press + `{"key":"undo"}`, game.Undo},
		{press + `{"key":"hint"}`, game.Hint},
		{press + `{"key":"pause"}`, game.Pause},
		{press + `{"key":"back"}`, game.Back},
		{press + `{"key":"less"}`, game.Less},
		{press + `{"key":"more"}`, game.More},
		{press + `{"key":"look"}`, game.OpenLook},
		{press + `{"key":"up","action":"press"}`, game.Press{Key: game.Up}},
		{press + `{"key":"up","action":"hold"}`, game.Press{Key: game.Up, Action: game.Held}},
		{press + `{"key":"left","action":"release"}`, game.Press{Key: game.Left, Action: game.Released}},
		{press + `{"key":"left","action":"push"}`, one},
		{press + `{"key":"undo","action":"press"}`, one},
		{press + `{"column":4,"action":"press"}`, one},
		{press + `{"column":8}`, game.Column{Col: 7}},
		{press + "\n{ \"column\" : 1 }\n", game.Column{Col: 0}},
		{press + `{"column":4,"disc":2}`, game.Disc{Col: 3, Number: 2}},
		{press + `{"point":4}`, game.Point{Col: 3}},
		{press + `{"select":2}`, game.Select{Entry: 1}},
		{press + `{"choose":8}`, game.Choose{Entry: 7}},
		{press + `{"choose":9}`, "9: columns and entries are numbers from 1 to 8"},
		{press + `{"column":-1}`, "-1: columns"},
		{press + `{"column":"4"}`, "column: must be"},
		{press + `{"column":0}`, one},
		{press + `{"column":null}`, one},
		{press + `{"column":4,"disc":-1}`, one},
		{press + `{"disc":1}`, one},
		{press + `{"key":"left","disc":1}`, one},
		{press + `{"key":"left","column":4}`, one},
		{press + `{"key":"Left"}`, one},
		{press + `{"key":null}`, one},
		{press, one},
		{press + `{"key":1}`, "key: must be string"},
		{press + `{"key":"left"}{"key":"left"}`, "unexpected data after"},
		{press + `{"key":"left",}`, "invalid character"},

		{seat + `{"seat":"blue","name":"a\u001bb"}`, game.Take{Player: board.Yellow, Holder: "a?b"}},
		{seat + `{}`, `seat: ""; use red`},
		{seat + `{"seat":1}`, "seat: must be"},
		{seat + `{"seat":"red","final":true}`, `unknown field "final"`},
		{"DELETE /v1/seat", game.Leave{}},
		{`DELETE /v1/seat {"failed":"` + strings.Repeat("é", 60) + `"}`, game.Leave{Why: strings.Repeat("é", maxText/2)}},
		{`DELETE /v1/seat {"token":"x"}`, "unknown field"},
	} {
		part := append(strings.SplitN(tt.request, " ", 3), "")
		got, err := Event(part[0]+" "+part[1], []byte(part[2]), usual)
		if says, wrong := tt.want.(string); wrong {
			if _, ok := err.(Invalid); !ok || !strings.Contains(err.Error(), says) {
				t.Errorf("%.200s: %+v, %v, want %s", tt.request, got, err, says)
			} else {
				try.OneLine(t, err.Error())
			}
		} else if err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v, want %+v", tt.request, got, err, tt.want)
		} else if got != nil {
			again(t, got)
		}
	}
	for _, ev := range []game.Event{game.Press{}, game.Column{Col: 8}, game.Point{Col: -1}, game.Quit{}, game.Present{}} {
		if request, body := RequestFor(ev); request != "" {
			t.Errorf("%+v: %s %+v", ev, request, body)
		}
	}
}

// again checks that an event is the same after its request was written and read.
func again(t *testing.T, ev game.Event) {
	t.Helper()
	request, body := RequestFor(ev)
	if start, ok := ev.(game.Start); ok {
		start.Take = game.Take{} // nobody would get the token
		ev = start
	}
	if back, err := Event(request, encoded(t, body), game.Setup{}); err != nil || back != ev {
		t.Errorf("%s %+v: %+v, %v, want %+v", request, body, back, err, ev)
	}
}

// FuzzEvent checks that every event that is read can be written.
func FuzzEvent(f *testing.F) {
	requests := []string{"POST /v1/match", "POST /v1/press", "POST /v1/seat", "DELETE /v1/seat"}
	f.Add(uint8(0), `{"board":"8x8","connect":5,"points":1,"first":"blue","computer":"blue","level":"easy","position":"4453","seed":"7","take":"red"}`)
	f.Add(uint8(1), `{"column":4,"disc":2}`)
	f.Fuzz(func(t *testing.T, which uint8, body string) {
		if ev, err := Event(requests[int(which)%len(requests)], []byte(body), usual); err != nil {
			try.OneLine(t, err.Error())
		} else {
			again(t, ev)
		}
	})
}

// A request for an analysis is of a game that follows the rules.
func TestReadAnalyse(t *testing.T) {
	for body, want := range map[string]string{
		`{"moves":"4453"}`: "4453 7x6 red 0",
		`{"moves":"12","starts":"blue","board":"8x8","connect":5,"from":2}`: "12 8x8 blue 2",
		`{"moves":"48"}`:            "no such column",
		`{"moves":"4","from":2}`:    "from: the game has fewer plies",
		`{"moves":"4","from":-1}`:   "from: ",
		`{"starts":"nobody"}`:       "starts: ",
		`{"board":"9x9"}`:           "9x9",
		`{"board":"8x8","extra":1}`: "unknown field",
	} {
		g, from, err := ReadAnalyse([]byte(body))
		got := fmt.Sprint(err)
		if rules := g.Position().Rules(); err == nil {
			got = fmt.Sprintf("%s %dx%d %s %d", g, rules.Columns, rules.Rows, rules.Name(g.Starter()), from)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

func encoded(t testing.TB, doc any) []byte {
	t.Helper()
	if doc == nil {
		return nil
	}
	text, err := json.Marshal(doc)
	try.Must(t, err)
	return text
}
