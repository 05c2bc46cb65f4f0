package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/service/api"
)

// with makes a request with a token in its header.
func with(t testing.TB, c *http.Client, method, path, token string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(method, "http://c4hat"+path, nil)
	must(t, err)
	r.Header.Set(TokenHeader, token)
	answer, err := c.Do(r)
	must(t, err)
	defer answer.Body.Close()
	var doc map[string]any
	if path != "/v1/events" || answer.StatusCode != 200 {
		_ = json.NewDecoder(answer.Body).Decode(&doc)
	}
	reason, _ := doc["error"].(string)
	return answer.StatusCode, reason
}

// Requests about seats get the right status and error.
func TestSeatRequests(t *testing.T) {
	g, path := served(t, game.Config{Attract: true})
	c := over(t, path)
	var tokens []string
	says := func(method, path, body string, status int, want string) {
		t.Helper()
		for i, token := range tokens {
			body = strings.ReplaceAll(body, fmt.Sprintf("TOKEN%d", i+1), token)
		}
		answer, text := request(t, c, method, path, body)
		if answer.StatusCode != status || !strings.Contains(text, want) {
			t.Errorf("%s %s %.200s: %d %s\nwant %d with %s", method, path, body, answer.StatusCode, text, status, want)
		}
		var doc api.Seated
		if json.Unmarshal([]byte(text), &doc) == nil && doc.Token != "" {
			tokens = append(tokens, doc.Token)
		}
	}
	says("POST", "/v1/seat", `{"seat":"red"}`, 404, "no match is under way: start one with POST /v1/match")
	says("POST", "/v1/match", `{"take":"blue"}`, 400, `take: \"blue\"; use red or yellow on this board`)
	says("POST", "/v1/match", `{"take":"yellow","board":"8x8"}`, 400, `take: \"yellow\"; use red or blue`)
	says("POST", "/v1/match", `{"take":"yellow","computer":"yellow"}`, 400, "take: yellow is the computer")
	says("POST", "/v1/match", `{"take":true}`, 400, "take: must be text, not bool")
	says("POST", "/v1/match", `{"take":"yellow"}`, 201, `"seats":{"red":"open","yellow":"taken"}`) // TOKEN1
	says("POST", "/v1/match", `{"take":"yellow"}`, 409, "a match is under way")
	says("POST", "/v1/seat", `{"seat":"yellow"}`, 409, "the seat is taken")
	says("POST", "/v1/seat", `{"seat":"blue"}`, 400, `seat: \"blue\"; use red or yellow`)
	says("POST", "/v1/seat", ``, 400, "not a JSON object")
	says("POST", "/v1/seat", `{}`, 400, `send {\"seat\":\"yellow\"}`)
	says("POST", "/v1/seat", `{"seat":1}`, 400, "seat: must be text, not number")
	says("POST", "/v1/seat", `{"seat":null}`, 400, "send {")
	says("POST", "/v1/seat", `{"seat":"red","x":1}`, 400, `unknown field \"x\"`)
	says("POST", "/v1/seat", `{"seat":"red","failed":"why"}`, 400, "or a token with failed")
	says("POST", "/v1/seat", `{"seat":"red","name":"a\nb"}`, 400, "one printable line")
	says("POST", "/v1/seat", `{"name":"x"}`, 400, "send {")
	says("POST", "/v1/seat", `{"token":"TOKEN1"}`, 400, "send {")
	says("POST", "/v1/seat", `{"token":"TOKEN1","failed":null}`, 400, "send {")
	says("POST", "/v1/seat", `{"token":"GUESSED","failed":"why"}`, 409, "the token holds no seat")
	says("POST", "/v1/press", `{"column":4,"disc":2}`, 409, "the disc is not due: the match has 0, and the phase is aim")
	says("POST", "/v1/press", `{"key":"left","disc":1}`, 400, "disc: only a column takes it")
	says("POST", "/v1/press", `{"disc":1}`, 400, "send {")
	says("GET", "/v1/seat", ``, 404, "there is no GET")
	says("DELETE", "/v1/seat", ``, 400, "C4hat-Token: send the token of a seat in this header")

	says("POST", "/v1/press", `{"column":4,"token":"TOKEN1"}`, 409, "it is red's turn, which the token does not play")
	says("POST", "/v1/press", `{"column":4,"token":4}`, 400, "token: must be")
	says("POST", "/v1/press", `{"token":"TOKEN1"}`, 400, `send {\"key\":\"left\"} or {\"column\":4}`)
	says("POST", "/v1/press", `{"column":4,"token":"GUESSED"}`, 409, "the token holds no seat in this match: take one with POST /v1/seat")
	g.events()
	says("POST", "/v1/press", `{"column":4}`, 200, `"turn":"yellow"`)
	says("POST", "/v1/press", `{"column":4}`, 409, "somebody else plays yellow")
	says("POST", "/v1/press", `{"key":"middle"}`, 409, "somebody else plays yellow")
	says("POST", "/v1/press", `{"key":"hint"}`, 409, "somebody else plays yellow")
	says("POST", "/v1/press", `{"key":"left"}`, 200, `"cursor":4`)
	says("POST", "/v1/press", `{"token":"TOKEN1","key":"left"}`, 200, `"cursor":3`)
	says("POST", "/v1/press", `{"token":"TOKEN1","column":8}`, 200, `"kind":"no-column"`)
	says("POST", "/v1/press", `{"token":"TOKEN1","column":4}`, 200, `"turn":"red"`)
	says("POST", "/v1/press", `{"key":"undo"}`, 409, "the disc is not yours")
	says("POST", "/v1/press", `{"token":"TOKEN1","key":"undo"}`, 200, `"turn":"yellow"`)
	says("POST", "/v1/seat", `{"seat":"red"}`, 201, `"seats":{"red":"taken","yellow":"taken"}`) // TOKEN2
	says("POST", "/v1/press", `{"column":4,"token":"TOKEN2"}`, 409, "it is yellow's turn")

	header := func(method, path, token string, status int, want string) {
		t.Helper()
		if got, reason := with(t, c, method, path, token); got != status || !strings.Contains(reason, want) {
			t.Errorf("%s %s with %q: %d %s\nwant %d with %s", method, path, token, got, reason, status, want)
		}
	}
	header("GET", "/v1/events", "guessed", 409, "the token holds no seat")
	header("GET", "/v1/events", "", 409, "the token holds no seat")
	header("GET", "/v1/events", tokens[0], 200, "")
	header("DELETE", "/v1/seat", "guessed", 409, "the token holds no seat")
	header("DELETE", "/v1/seat", tokens[1], 200, "")
	header("DELETE", "/v1/seat", tokens[1], 409, "the token holds no seat")

	// A token is valid only in its own match.
	says("POST", "/v1/match", `{"force":true,"take":"red"}`, 201, `"seats":{"red":"taken","yellow":"open"}`) // TOKEN3
	says("POST", "/v1/press", `{"column":4,"token":"TOKEN1"}`, 409, "the token holds no seat")
	says("POST", "/v1/press", `{"column":4,"token":"TOKEN2"}`, 409, "the token holds no seat")
	says("POST", "/v1/press", `{"column":4,"token":"TOKEN3"}`, 200, `"turn":"yellow"`)
	says("POST", "/v1/seat", `{"token":"TOKEN3","failed":"gave no answer"}`, 200, `"failed":"gave no answer"`)
	header("GET", "/v1/events", tokens[0], 409, "the token holds no seat")
	says("POST", "/v1/match", `{"force":true,"computer":"yellow"}`, 201, `"seats":{"red":"open","yellow":"computer"}`)
	says("POST", "/v1/seat", `{"seat":"yellow"}`, 409, "the seat is the computer's")
	says("DELETE", "/v1/match", ``, 200, `"phase":"menu"`)
	says("POST", "/v1/press", `{"key":"middle","token":"TOKEN3"}`, 409, "the token holds no seat in this match: take one with POST /v1/seat")
	if len(tokens) != 3 || tokens[0] == tokens[1] || len(tokens[0]) < 20 {
		t.Errorf("the tokens are %q", tokens)
	}
}

// A token appears only in the answer that issues it, in no other document and in no log.
func TestTokensStaySecret(t *testing.T) {
	g := newTable(t, game.Config{})
	var log gametest.Log
	o := g.options(t)
	o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	path := serve(t, o)
	c := Dial(path)
	seat, err := c.TakeSeat(t.Context(), api.SeatRequest{Seat: "red"})
	if err != nil || seat.Token == "" {
		t.Fatal(seat.Token, err)
	}
	all := ""
	plain := over(t, path)
	for _, r := range [][3]string{{"GET", "/v1/status", ""}, {"POST", "/v1/seat", `{"seat":"red"}`}, {"POST", "/v1/match", ""},
		{"POST", "/v1/press", `{"column":1,"token":"` + seat.Token + `"}`}, {"POST", "/v1/press", `{"column":1,"token":"` + seat.Token + `"}`},
		{"POST", "/v1/press", `{"colour":"` + seat.Token + `","token":"` + seat.Token + `"`}, {"GET", "/v1/" + seat.Token[:1], ""}, {"GET", "/v1/matches", ""}} {
		_, text := request(t, plain, r[0], r[1], r[2])
		all += text
	}
	g.fault.Store(true)
	if _, err := c.Seated(seat.Token).Do(t.Context(), game.Undo); err == nil {
		t.Error("no error from a game at fault")
	}
	g.fault.Store(false)
	v := g.view()
	all += string(New(o).encode(v)) + fmt.Sprintf("%+v", v)
	if strings.Contains(all, seat.Token) || !strings.Contains(all, `"red":"taken"`) {
		t.Errorf("a token, or no seat, in %s", all)
	}
	if text := log.String(); strings.Contains(text, seat.Token) || !strings.Contains(text, "fault") {
		t.Errorf("a token, or nothing, in the log: %s", text)
	}
}

// The game counts a holder's streams, however they end.
func TestSeatStreams(t *testing.T) {
	g, path := served(t, game.Config{})
	c := Dial(path)
	seat, err := c.TakeSeat(t.Context(), api.SeatRequest{Seat: "yellow"})
	must(t, err)
	holder := c.Seated(seat.Token)
	g.events()
	var ends []context.CancelFunc
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ends = append(ends, cancel)
		begun := make(chan struct{})
		go func() {
			for _, err := range holder.Events(ctx) {
				if err != nil {
					return
				}
				select {
				case <-begun:
				default:
					close(begun)
				}
			}
		}()
		<-begun
	}
	wait := func(n int) {
		t.Helper()
		for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(time.Millisecond) {
			g.mu.Lock()
			got := 0
			for _, ev := range g.got {
				if ev == (game.Absent{}) {
					got++
				}
			}
			g.mu.Unlock()
			if got == n {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%d streams have ended, want %d", got, n)
			}
		}
	}
	taken := func() bool {
		v, err := g.do(t.Context(), game.Tick{})
		return err == nil && v.Seats[1].State != game.Open
	}
	later := func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.now = g.now.Add(time.Minute)
	}
	ends[0]()
	wait(1)
	ends[1]()
	wait(2)
	later()
	if !taken() {
		t.Error("a seat with a stream was opened")
	}
	ends[2]()
	wait(3)
	if !taken() {
		t.Error("the seat was opened at once")
	}
	later()
	if taken() {
		t.Error("the seat of a silent holder is still taken")
	}
	if _, err := holder.Do(t.Context(), game.Column{Col: 1}); !errors.Is(err, game.ErrNoSeat) {
		t.Errorf("a press with a lost token: %v", err)
	}
	if _, err := holder.Do(t.Context(), game.Leave{}); !errors.Is(err, game.ErrNoSeat) {
		t.Errorf("leaving a lost seat: %v", err)
	}
	for _, err := range holder.Events(t.Context()) {
		if !errors.Is(err, game.ErrNoSeat) {
			t.Errorf("a stream of a lost seat: %v", err)
		}
	}
}
