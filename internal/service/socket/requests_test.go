package socket

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/words"
)

// Every request is answered, and every error has a reason.
func TestRequests(t *testing.T) {
	g, path := served(t, game.Config{Attract: true})
	c := over(t, path)
	long := strings.Repeat(" ", MaxBody+1)
	defaults := game.Setup{Rules: board.Standard, Points: 2, First: board.FirstLoser}
	begun := func(change func(*game.Start)) []game.Event {
		s := game.Start{Setup: defaults}
		change(&s)
		return []game.Event{s}
	}
	for _, tt := range []struct {
		method, path, body string
		status             int
		says               string // in the answer
		does               []game.Event
	}{
		{"GET", "/v1/status", "", 200, `"machine":{"version":"1.2.3","pid":42,"uptime":7,"matrix":true,"joystick":false}`, nil},
		{"GET", "/v1/status", "", 200, `"match":null`, nil},
		{"GET", "/v1/status", long, 413, "longer than 4096 bytes", nil},
		{"POST", "/v1/status", "", 404, "there is no", nil},
		{"PUT", "/v1/status", "", 404, "there is no", nil},
		{"OPTIONS", "/v1/match", "", 404, "there is no OPTIONS", nil},
		{"GET", "/", "", 404, `there is no GET \"/\"`, nil},
		{"GET", "/v1/status/", "", 404, "there is no", nil},
		{"GET", "/v1/" + strings.Repeat("x", 3000), "", 404, "and so on", nil},
		{"POST", "/nowhere", "x", 404, "there is no", nil},

		{"DELETE", "/v1/match", "", 404, "no match is under way: start one", []game.Event{game.End{}}},

		{"POST", "/v1/match", `{"board":"9x9"}`, 400, `board: \"9x9\"; use COLUMNSxROWS`, nil},
		{"POST", "/v1/match", `{"board":7}`, 400, "board: must be", nil},
		{"POST", "/v1/match", `{"connect":9}`, 400, "a line of 9; use 2 to 8", nil},
		{"POST", "/v1/match", `{"connect":8}`, 400, "connect: nobody can get 8 in a line on 7x6", nil},
		{"POST", "/v1/match", `{"board":"3x3"}`, 400, "connect: nobody can get 4 in a line on 3x3", nil},
		{"POST", "/v1/match", `{"points":4}`, 400, "use 1 to 3", nil},
		{"POST", "/v1/match", `{"points":"2"}`, 400, "points: must be", nil},
		{"POST", "/v1/match", `{"points":1.5}`, 400, "points: must be", nil},
		{"POST", "/v1/match", `{"points":1e99}`, 400, "points: must be", nil},
		{"POST", "/v1/match", `{"first":"green"}`, 400, `first: \"green\"; use red`, nil},
		{"POST", "/v1/match", `{"first":"blue"}`, 400, "first: ", nil},
		{"POST", "/v1/match", `{"first":"yellow","board":"8x8"}`, 400, `first: \"yellow\"; use red, blue, alternate`, nil},
		{"POST", "/v1/match", `{"computer":"blue"}`, 400, `computer: \"blue\"; use red or yellow`, nil},
		{"POST", "/v1/match", `{"computer":"yellow","board":"8x8"}`, 400, "; use red or blue", nil},
		{"POST", "/v1/match", `{"computer":true}`, 400, "computer: must be", nil},
		{"POST", "/v1/match", `{"level":3}`, 400, `level: there is no computer player: add \"computer\":\"yellow\"`, nil},
		{"POST", "/v1/match", `{"computer":"red","level":77}`, 400, "level: must be novice, beginner, easy", nil},
		{"POST", "/v1/match", `{"computer":"red","level":0}`, 400, "level: must be", nil},
		{"POST", "/v1/match", `{"computer":"red","level":"great"}`, 400, "level: must be", nil},
		{"POST", "/v1/match", `{"computer":"red","level":[3]}`, 400, "level: must be", nil},
		{"POST", "/v1/match", `{"position":"48"}`, 400, "position: move 2, '8': there is no such column", nil},
		{"POST", "/v1/match", `{"position":"1212121"}`, 400, "position: the round is already over there", nil},
		{"POST", "/v1/match", `{"position":44}`, 400, "position: must be", nil},
		{"POST", "/v1/match", `{"seed":-1}`, 400, "seed: must be", nil},
		{"POST", "/v1/match", `{"seed":"1x"}`, 400, "seed: must be", nil},
		{"POST", "/v1/match", `{"seed":18446744073709551616}`, 400, "seed: must be", nil},
		{"POST", "/v1/match", `{"seed":null}`, 400, "seed: must be", nil},
		{"POST", "/v1/match", `{"force":"yes"}`, 400, "force: must be true or false", nil},
		{"POST", "/v1/match", `{"colour":"red"}`, 400, `unknown field \"colour\"`, nil},
		{"POST", "/v1/match", `{"` + strings.Repeat("colour", 100) + `":1}`, 400, `unknown field \"colourcolour`, nil},
		{"POST", "/v1/match", `{"points":1} x`, 400, "unexpected data after", nil},
		{"POST", "/v1/match", `{"points":1`, 400, "unexpected EOF", nil},
		{"POST", "/v1/match", `[]`, 400, "the body is not a JSON object", nil},
		{"POST", "/v1/match", `null`, 400, "the body is not a JSON object", nil},
		{"POST", "/v1/match", `points=1`, 400, "the body is not a JSON object", nil},
		{"POST", "/v1/match", long, 413, "longer", nil},

		{"POST", "/v1/match", "", 201, `"match":{"id":"run-1-1","board":"7x6","connect":4,"points":2,"first":"loser","rounds":[""]},"turn":"red"`,
			begun(func(*game.Start) {})},
		{"POST", "/v1/match", "{}", 409, `a match is under way (7x6, two players: red 0, yellow 0): \"force\":true replaces it, DELETE /v1/match ends it`,
			begun(func(*game.Start) {})},
		{"POST", "/v1/match", ` {"force":true,"board":"8x8","connect":5,"points":1,"first":"blue","computer":"blue","level":"easy","position":"4453","seed":"18446744073709551615"} `,
			201, `"board":"8x8","connect":5,"points":1,"first":"yellow","computer":"blue","level":"easy","rounds":["4453"]`,
			begun(func(s *game.Start) {
				s.Force, s.Seed = true, 1<<64-1
				s.Setup = game.Setup{Rules: board.Rules{Columns: 8, Rows: 8, Connect: 5}, Points: 1, First: board.FirstYellow, Computer: board.Yellow, Level: match.Easy, Opening: "4453"}
			})},
		{"POST", "/v1/match", "", 409, `(8x8 connect 5, blue is the computer at level easy: red 0, blue 0)`, begun(func(*game.Start) {})},
		{"POST", "/v1/match", `{"force":true,"computer":"red","seed":7}`, 201, `"computer":"red","level":"medium"`,
			begun(func(s *game.Start) {
				s.Force, s.Seed, s.Setup.Computer, s.Setup.Level = true, 7, board.Red, match.Medium
			})},
		{"POST", "/v1/match", `{"force":true,"first":"yellow","position":""}`, 201, `"turn":"yellow"`,
			begun(func(s *game.Start) { s.Force, s.Setup.First = true, board.FirstYellow })},

		{"POST", "/v1/press", `{"key":"left"}`, 200, `"cursor":3`, []game.Event{game.Press{Key: game.Left}}},
		{"POST", "/v1/press", `{"key":"right"}`, 200, `"cursor":4`, []game.Event{game.Press{Key: game.Right}}},
		{"POST", "/v1/press", `{"key":"up"}`, 200, `"item":"resume"`, []game.Event{game.Press{Key: game.Up}}},
		{"POST", "/v1/press", `{"key":"middle"}`, 200, `"phase":"aim"`, []game.Event{game.Press{Key: game.Middle}}},
		{"POST", "/v1/press", `{"key":"pause"}`, 200, `"phase":"pause"`, []game.Event{game.Pause}},
		{"POST", "/v1/press", `{"key":"down"}`, 200, `"phase":"aim"`, []game.Event{game.Press{Key: game.Down}}},
		{"POST", "/v1/press", `{"key":"back"}`, 200, `"phase":"pause"`, []game.Event{game.Back}},
		{"POST", "/v1/press", `{"select":2}`, 200, `"item":"undo"`, []game.Event{game.Select{Entry: 1}}},
		{"POST", "/v1/press", `{"choose":1}`, 200, `"phase":"aim"`, []game.Event{game.Choose{Entry: 0}}},
		{"POST", "/v1/press", `{"choose":9}`, 400, "choose: must be a number from 1 to 8", nil},
		{"POST", "/v1/press", `{"key":"undo"}`, 200, `"notice":{"text":"nothing to take back in this round yet","kind":"no-undo"}`, []game.Event{game.Undo}},
		{"POST", "/v1/press", `{"key":"hint"}`, 200, `"phase":"aim"`, []game.Event{game.Hint}},
		{"POST", "/v1/press", `{"column":8}`, 200, `"notice":{"text":"there is no column 8","kind":"no-column","column":8}`, []game.Event{game.Column{Col: 7}}},
		{"POST", "/v1/press", "\n{ \"column\" : 1 }\n", 200, `"phase":"fall"`, []game.Event{game.Column{Col: 0}}},
		{"POST", "/v1/press", `{"column":0}`, 400, "one of key, column, point", nil},
		{"POST", "/v1/press", `{"column":9}`, 400, "column: must be", nil},
		{"POST", "/v1/press", `{"column":"4"}`, 400, "column: must be", nil},
		{"POST", "/v1/press", `{"column":4.5}`, 400, "column: must be", nil},
		{"POST", "/v1/press", `{"column":null}`, 400, "one of key, column, point", nil},
		{"POST", "/v1/press", `{"key":"Left"}`, 400, "key: must be left, right", nil},
		{"POST", "/v1/press", `{"key":1}`, 400, "key: must be", nil},
		{"POST", "/v1/press", `{"key":null}`, 400, "one of key, column, point", nil},
		{"POST", "/v1/press", `{"key":"left","column":4}`, 400, "one of key, column, point", nil},
		{"POST", "/v1/press", `{"key":"left"}{"key":"left"}`, 400, "unexpected data after", nil},
		{"POST", "/v1/press", `{}`, 400, `send {\"key\":\"left\"} or {\"column\":4}`, nil},
		{"POST", "/v1/press", ``, 400, "not a JSON object", nil},
		{"POST", "/v1/press", `{"key":"left",}`, 400, "invalid character", nil},
		{"GET", "/v1/press", "", 404, "there is no GET", nil},

		{"GET", "/v1/matches", "", 200, "\"id\":\"m-0\"", nil},
		{"GET", "/v1/matches?last=2", "", 200, "{\"matches\":[\n{\"id\":\"m-3\"", nil},
		{"GET", "/v1/matches?last=10000", "", 200, "{\"matches\":[\n{\"id\":\"m-0\"", nil},
		{"GET", "/v1/matches?last=10001", "", 400, "last: use a number from 1 to 10000", nil},
		{"GET", "/v1/matches?last=0", "", 400, "last: use", nil},
		{"GET", "/v1/matches?last=x", "", 400, "last: use", nil},
		{"GET", "/v1/matches?last=", "", 400, "last: use", nil},
		{"GET", "/v1/matches?last=1&last=2", "", 400, "last: use", nil},
		{"GET", "/v1/matches?first=1", "", 400, "last: use", nil},
		{"GET", "/v1/matches?last=1;x", "", 400, "last: use", nil},

		{"DELETE", "/v1/match", "", 200, `"phase":"menu"`, []game.Event{game.End{}}},
		{"POST", "/v1/press", `{"key":"look"}`, 200, `"phase":"look"`, []game.Event{game.OpenLook}},

		{"POST", "/v1/hat", "", 404, "there is no HAT", nil},
		{"PUT", "/v1/hat", frame(8), 409, "C4hat-Token: you do not have the HAT", nil},
		{"PUT", "/v1/hat", frame(8) + "x", 400, "unexpected data after", nil},
		{"PUT", "/v1/hat", frame(9), 400, "frame: must be eight rows", nil},
		{"PUT", "/v1/hat", frame(7), 400, "frame: must be eight rows", nil},
		{"PUT", "/v1/hat", `{"frame":["0","0","0","0","0","0","0","0"]}`, 400, "frame: must be eight rows", nil},
		{"PUT", "/v1/hat", strings.Replace(frame(8), "000000 ", "", 1), 400, "frame: must be eight rows", nil},
		{"PUT", "/v1/hat", strings.Replace(frame(8), "000000", "00000g", 1), 400, "frame: must be eight rows", nil},
		{"PUT", "/v1/hat", `{"frame":4}`, 400, "frame: must be a list, not number", nil},
		{"PUT", "/v1/hat", `{"frame":[4]}`, 400, "must be text, not number", nil},
		{"PUT", "/v1/hat", `{}`, 400, "frame: must be eight rows", nil},
	} {
		answer, text := request(t, c, tt.method, tt.path, tt.body)
		name := tt.method + " " + words.Quote(tt.path) + " " + words.Quote(tt.body)
		if answer.StatusCode != tt.status || !strings.Contains(text, tt.says) {
			t.Errorf("%s: %d %s\nwant %d with %s", name, answer.StatusCode, text, tt.status, tt.says)
		}
		if got := g.events(); !reflect.DeepEqual(got, tt.does) {
			t.Errorf("%s: the game was given %+v, want %+v", name, got, tt.does)
		}
		var doc map[string]any
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Errorf("%s: %q is not JSON: %v", name, text, err)
		}
		if reason, _ := doc["error"].(string); (reason == "") != (tt.status < 300) || strings.Contains(reason, "\n") {
			t.Errorf("%s: the reason is %q", name, reason)
		}
		if got := answer.Header.Get("Content-Type"); got != "application/json" {
			t.Errorf("%s: Content-Type %s", name, got)
		}
	}

	// A request that comes too late is not carried out.
	for until, status := range map[string]int{"1": 503, "": 200, "99999999999999": 200, "soon": 400, "1e99": 400, "-9223372036854775808": 503} {
		answer, text := request(t, c, "POST", "/v1/press", `{"key":"left"}`, UntilHeader, until)
		if got := g.events(); answer.StatusCode != status || len(got) > 0 != (status == 200) {
			t.Errorf("until %q: %d %s, the game was given %+v", until, answer.StatusCode, text, got)
		}
	}
}

// frame returns the body of a request that shows dark rows.
func frame(rows int) string {
	doc, _ := json.Marshal(map[string][]string{"frame": slices.Repeat([]string{"000000 000000 000000 000000 000000 000000 000000 000000"}, rows)})
	return string(doc)
}
