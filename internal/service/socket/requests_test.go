package socket

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
)

// Every request is answered in JSON, and every error has a reason. What a body may say is tested in package api.
func TestRequests(t *testing.T) {
	long := strings.Repeat(" ", MaxBody) + "{}"
	row := strings.TrimSuffix(strings.Repeat("000000 ", 8), " ")
	frame := `PUT /v1/hat {"frame":["` + strings.Repeat(row+`","`, 7) + row + `"]}`
	const (
		anybody = 0
		guessed = -1 // a token that nobody has
		empty   = -2
	)
	tests := []struct {
		request string
		token   int // 1 is the first that was issued
		status  int
		says    string // in the answer
	}{
		{"GET /v1/status", 0, 200, `"machine":{"version":"1.2.3","pid":42,"uptime":7,"matrix":true,"joystick":false}`},
		{"GET /v1/status", 0, 200, `"match":null`},
		{"GET /v1/status " + long, 0, 400, "request body too large"},
		{"POST /v1/match " + long, 0, 400, "request body too large"},
		{"POST /v1/status", 0, 404, "there is no"},
		{"OPTIONS /v1/match", 0, 404, "there is no OPTIONS"},
		{"GET /", 0, 404, `there is no GET \"/\"`},
		{"GET /v1/status/", 0, 404, "there is no"},
		{"GET /v1/" + strings.Repeat("x", 3000), 0, 404, "and so on"},
		{"GET /v1/press", 0, 404, "there is no GET"},
		{"DELETE /v1/events", 0, 404, "there is no DELETE"},

		{"DELETE /v1/match", 0, 404, "no match is under way"},
		{`POST /v1/seat {"seat":"red"}`, 0, 404, "no match is under way"},
		{`POST /v1/match {"colour":"red"}`, 0, 400, `unknown field \"colour\"`},
		{"POST /v1/match", 0, 200, `"match":{"id":"run-1-1","board":"7x6","connect":4,"points":2,"first":"loser","rounds":[""]},"turn":"red"`},
		{"POST /v1/match {}", 0, 409, "a match is under way"},
		{`POST /v1/match {"force":true,"board":"8x8","connect":5,"points":1,"first":"blue","computer":"blue","level":"easy","position":"4453","seed":"7"}`, 0,
			200, `"board":"8x8","connect":5,"points":1,"first":"yellow","computer":"blue","level":"easy","rounds":["4453"]`},
		{`POST /v1/match {"force":true,"first":"yellow"}`, 0, 200, `"turn":"yellow"`},

		{`POST /v1/press {"key":"left"}`, 0, 200, `"cursor":3`},
		{`POST /v1/press {"key":"right"}`, 0, 200, `"cursor":4`},
		{`POST /v1/press {"key":"up"}`, 0, 200, `"item":"resume"`},
		{`POST /v1/press {"key":"middle"}`, 0, 200, `"phase":"aim"`},
		{`POST /v1/press {"key":"back"}`, 0, 200, `"phase":"pause"`},
		{`POST /v1/press {"select":2}`, 0, 200, `"item":"undo"`},
		{`POST /v1/press {"choose":1}`, 0, 200, `"phase":"aim"`},
		{`POST /v1/press {"key":"undo"}`, 0, 200, `"notice":{"kind":"no-undo"}`},
		{`POST /v1/press {"column":8}`, 0, 200, `"refused":"there is no column 8"`},
		{`POST /v1/press {"column":1}`, 0, 200, `"phase":"fall"`},
		{`POST /v1/press {"column":9}`, 0, 400, "columns and entries"},

		{"GET /v1/matches", 0, 200, "\"id\":\"m-0\""},
		{"GET /v1/matches?last=2", 0, 200, "{\"matches\":[\n{\"id\":\"m-3\""},
		{"GET /v1/matches?last=10000", 0, 200, "{\"matches\":[\n{\"id\":\"m-0\""},
		{"GET /v1/matches?last=%32", 0, 200, "{\"matches\":[\n{\"id\":\"m-3\""},
		{"GET /v1/matches?last=10001", 0, 400, "last: use a number from 1 to 10000"},
		{"GET /v1/matches?last=0", 0, 400, "last: use"},
		{"GET /v1/matches?last=", 0, 400, "last: use"},
		{"GET /v1/matches?first=1", 0, 400, "last: use"},

		{"DELETE /v1/match", 0, 200, `"phase":"menu"`},
		{`POST /v1/press {"key":"look"}`, 0, 200, `"phase":"look"`},
		{`POST /v1/press {"key":"back"}`, 0, 200, `"phase":"menu"`},

		{"POST /v1/hat", 0, 404, "there is no HAT"},
		{frame, 0, 409, "C4hat-Token: you do not have the HAT"},
		{strings.Replace(frame, row, row+" 000000", 1), 0, 400, "frame: must be eight rows"},
		{strings.Replace(frame, row+`","`, "", 1), 0, 400, "frame: must be eight rows"},
		{strings.Replace(frame, "000000", "00000g", 1), 0, 400, "frame: must be eight rows"},
		{strings.Replace(frame, "000000", "0000", 1), 0, 400, "frame: must be eight rows"},
		{`PUT /v1/hat {"frame":4}`, 0, 400, "frame: must be slice, not number"},

		// A seat's token plays its side, and nobody else does.
		{`POST /v1/match {"take":"yellow"}`, 0, 200, `"seats":{"red":{},"yellow":{"state":"taken"}}`}, // token 1
		{`POST /v1/match {"take":"yellow"}`, 0, 409, "a match is under way"},
		{`POST /v1/seat {"seat":"yellow"}`, 0, 409, "the seat is taken"},
		{`POST /v1/press {"column":4,"disc":2}`, 0, 409, "your disc comes too early or too late"},
		{`DELETE /v1/seat`, 0, 409, "the token holds no seat"},
		{`POST /v1/press {"column":4}`, 1, 409, "it is red's turn, and the token is not red's"},
		{`POST /v1/press {"column":4}`, guessed, 409, "the token holds no seat in this match"},
		{`POST /v1/press {"column":4}`, 0, 200, `"turn":"yellow"`},
		{`POST /v1/press {"column":4}`, 0, 409, "yellow's seat is taken"},
		{`POST /v1/press {"key":"middle"}`, 0, 409, "yellow's seat is taken"},
		{`POST /v1/press {"key":"hint"}`, 0, 409, "yellow's seat is taken"},
		{`POST /v1/press {"key":"left"}`, 0, 200, `"cursor":4`},
		{`POST /v1/press {"key":"left"}`, 1, 200, `"cursor":3`},
		{`POST /v1/press {"column":8}`, 1, 200, `"kind":"no-column"`},
		{`POST /v1/press {"column":4}`, 1, 200, `"turn":"red"`},
		{`POST /v1/press {"key":"undo"}`, 0, 409, "the disc is not yours"},
		{`POST /v1/press {"key":"undo"}`, 1, 200, `"turn":"yellow"`},
		{`POST /v1/seat {"seat":"red","name":"a\u001bb"}`, 0, 200, `"red":{"state":"taken","name":"a?b"}`}, // token 2
		{`POST /v1/press {"column":4}`, 2, 409, "it is yellow's turn"},
		{"GET /v1/events", guessed, 409, "the token holds no seat"},
		{"GET /v1/events", empty, 409, "the token holds no seat"},
		{"GET /v1/events", 1, 200, `data: {"phase"`},
		{"DELETE /v1/seat", guessed, 409, "the token holds no seat"},
		{"DELETE /v1/seat", 2, 200, `"seats":{"red":{},"yellow":{"state":"away"}}`},
		{"DELETE /v1/seat", 2, 409, "the token holds no seat"},

		// A token is valid only in its own match.
		{`POST /v1/match {"force":true,"take":"red"}`, 0, 200, `"seats":{"red":{"state":"taken"},"yellow":{}}`}, // token 3
		{`POST /v1/press {"column":4}`, 1, 409, "the token holds no seat"},
		{`POST /v1/press {"column":4}`, 3, 200, `"turn":"yellow"`},
		{`DELETE /v1/seat {"failed":"gave no answer"}`, 3, 200, `"failed":"gave no answer"`},
		{"GET /v1/events", 1, 409, "the token holds no seat"},
		{`POST /v1/match {"force":true,"computer":"yellow"}`, 0, 200, `"seats":{"red":{},"yellow":{}}`},
		{`POST /v1/seat {"seat":"yellow"}`, 0, 409, "the seat is the computer's"},
		{"DELETE /v1/match", 0, 200, `"phase":"menu"`},
		{`POST /v1/press {"key":"middle"}`, 3, 409, "the token holds no seat in this match"},
	}
	inside(t, func(b *bench) { b.config.Attract = true }, func(b *bench) {
		c := b.plain()
		var tokens []string
		all := "" // what was answered, without tokens
		for _, tt := range tests {
			time.Sleep(time.Second / 2) // a key that comes too soon does nothing
			var header []string
			switch tt.token {
			case anybody:
			case guessed:
				header = []string{TokenHeader, "guessed"}
			case empty:
				header = []string{TokenHeader, ""}
			default:
				header = []string{TokenHeader, tokens[tt.token-1]}
			}
			answer, text := request(t, c, tt.request, header...)
			if answer.StatusCode != tt.status || !strings.Contains(text, tt.says) {
				t.Errorf("%.200s with token %d: %d %.1000s\nwant %d with %s", tt.request, tt.token, answer.StatusCode, text, tt.status, tt.says)
			}
			var doc struct{ Token, Error string }
			err := json.Unmarshal([]byte(strings.TrimPrefix(text, "data:")), &doc)
			if kind := answer.Header.Get("Content-Type"); err != nil || (kind == "application/json") != (tt.says != `data: {"phase"`) {
				t.Errorf("%.200s: %q is %s: %v", tt.request, text, kind, err)
			}
			if (doc.Error == "") != (tt.status < 300) {
				t.Errorf("%.200s: the reason is %q", tt.request, doc.Error)
			} else if doc.Error != "" {
				try.OneLine(t, doc.Error)
			}
			if doc.Token != "" {
				tokens = append(tokens, doc.Token)
				text = strings.Replace(text, doc.Token, "", 1)
			}
			all += text
		}
		if len(tokens) != 3 || tokens[0] == tokens[1] || len(tokens[0]) < 20 {
			t.Errorf("the tokens are %q", tokens)
		}
		b.before = func(context.Context) error { return fmt.Errorf("the game is at fault") }
		request(t, c, "GET /v1/status", TokenHeader, tokens[0])
		for _, token := range tokens { // they are only in the answers that issue them
			if strings.Contains(all+b.log.String(), token) || !strings.Contains(b.log.String(), "at fault") {
				t.Errorf("a token, or no fault, in the answers or in the log: %s", b.log.String())
			}
		}
	})
}

// A request that comes too late is not carried out. If the game does not answer, clients know after two seconds.
func TestLate(t *testing.T) {
	for until, status := range map[string]int{
		"1": 503, "": 200, "99999999999999": 200, "soon": 503, "1e99": 503, "-9223372036854775808": 503, "stuck": 503,
	} {
		inside(t, nil, func(b *bench) {
			if until == "stuck" {
				b.before = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
				until = "99999999999999"
			}
			began := time.Now()
			answer, text := request(t, b.plain(), `POST /v1/press {"key":"left"}`, UntilHeader, until)
			if took := time.Since(began); answer.StatusCode != status || took > answerTime {
				t.Errorf("until %q: %d %s after %v", until, answer.StatusCode, text, took)
			}
			if given := b.events(); len(given) > 0 != (status == 200 || b.before != nil) {
				t.Errorf("until %q: the game was given %+v", until, given)
			}
		})
	}
}

// Choosing the digit at the HAT admits a browser, and up refuses it, but no client's key does. When a client
// disconnects, its digit is no longer shown.
func TestAdmit(t *testing.T) {
	left, middle := game.Press{Key: game.Left}, game.Press{Key: game.Middle}
	for _, tt := range []struct {
		keys []game.Event // at the HAT; nil: the client disconnects
		says string
	}{
		{[]game.Event{left, left, left, left, middle}, "true <nil>"},
		{[]game.Event{game.Press{Key: game.Up}}, "false <nil>"},
		{nil, "false context canceled"},
	} {
		inside(t, func(b *bench) { b.config.Attract = true }, func(b *bench) {
			ctx, cancel := context.WithCancel(b.t.Context())
			defer cancel()
			says := make(chan string, 1)
			go func() {
				admitted, err := b.client("a").Admit(ctx, 7)
				says <- fmt.Sprint(admitted, err)
			}()
			time.Sleep(2 * time.Second)
			if _, err := b.client("b").Admit(b.t.Context(), 8); err == nil || !strings.Contains(err.Error(), "another browser") {
				b.t.Errorf("a second request: %v", err)
			}
			if v, err := b.client("b").Do(b.t.Context(), game.Press{Key: game.Up}); err != nil || v.Phase != game.Admitting {
				b.t.Errorf("a client's key has answered: %v, %v", v.Phase, err)
			}
			if b.hat(tt.keys...); tt.keys == nil {
				cancel()
			}
			if got := <-says; got != tt.says {
				b.t.Errorf("after %v: %s, want %s", tt.keys, got, tt.says)
			}
			synctest.Wait()
			if phase := b.hat().Phase; phase != game.Attract || b.log.Len() > 0 {
				b.t.Errorf("afterwards %v, logged %s", phase, b.log.String())
			}
		})
	}
}
