package socket

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/api"
)

// oneLine checks that an error's text can be shown on a terminal as one line.
func oneLine(t *testing.T, reason string) {
	t.Helper()
	if reason == "" || len(reason) > 900 || strings.ContainsFunc(reason, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("not one short line: %.1000q", reason)
	}
}

// fuzz runs a server; check gets the events of the requests that it accepts.
func fuzz(f *testing.F, check func(*testing.T, game.Event)) (send func(t *testing.T, method, target, body string) *httptest.ResponseRecorder) {
	g := newTable(f, game.Config{})
	o := g.options(f)
	s := New(o)
	return func(t *testing.T, method, target, body string) *httptest.ResponseRecorder {
		t.Helper()
		g.events()
		w := httptest.NewRecorder()
		path, query, _ := strings.Cut(target, "?")
		r := httptest.NewRequest("GET", "/", strings.NewReader(body))
		ctx := r.Context()
		if method == "GET" && path == "/v1/events" { // a stream ends when its reader disconnects
			reading, cancel := context.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			ctx = reading
		}
		r = r.WithContext(context.WithValue(ctx, connection{}, &Conn{listener: &Listener{All: 1, Each: 1}}))
		r.Method, r.URL = method, &url.URL{Path: path, RawQuery: query}
		if body == "" {
			r.Body = http.NoBody
		}
		s.ServeHTTP(w, r)
		given := g.events()
		for _, ev := range given {
			check(t, ev)
		}
		if w.Code >= 500 && path != "/v1/events" {
			t.Errorf("%s %q %q: %d %s", method, target, body, w.Code, w.Body)
		}
		if w.Code >= 400 {
			var doc map[string]string
			if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || len(doc) != 1 && (len(doc) != 2 || doc["code"] == "") {
				t.Errorf("%s %q: the reason is %q, %v", method, target, w.Body, err)
			}
			oneLine(t, doc["error"])
		}
		if refused := w.Code >= 400 && w.Code != 409 && w.Code != 404; refused && len(given) > 0 && path != "/v1/events" {
			t.Errorf("%s %q %q: %d, and the game was given %+v", method, target, body, w.Code, given)
		}
		return w
	}
}

// asked returns what encoding/json reads in the fields of a body, without those that are empty. ok is false if
// the body is no object, or a field appears twice in it, which encoding/json does not check.
func asked(body string) (doc map[string]any, ok bool) {
	d := json.NewDecoder(strings.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	doc = map[string]any{}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		var value any
		if err != nil || d.Decode(&value) != nil {
			return nil, false
		}
		name := strings.ToLower(strings.ToUpper(token.(string))) // encoding/json ignores the case of names
		if seen[name] {
			return nil, false
		}
		seen[name] = true
		if value != nil && value != "" && value != 0.0 && value != false {
			doc[name] = value
		}
	}
	_, err := d.Token()
	_, end := d.Token()
	return doc, err == nil && end == io.EOF
}

// same reports whether a document has the fields of a body, and no others.
func same(doc any, body string) bool {
	text, _ := json.Marshal(doc)
	want, _ := asked(string(text))
	got, ok := asked(body)
	return ok && reflect.DeepEqual(got, want)
}

// FuzzPress checks that the game gets the press that encoding/json reads in a body, and nothing
// else.
func FuzzPress(f *testing.F) {
	var pressed game.Event
	send := fuzz(f, func(t *testing.T, ev game.Event) { pressed = ev })
	f.Fuzz(func(t *testing.T, body string) {
		pressed = nil
		w := send(t, "POST", "/v1/press", body)
		if pressed == nil {
			if w.Code == 200 {
				t.Errorf("%q: nothing is pressed", body)
			}
			return
		}
		fields, _ := asked(body)
		token, _ := fields["token"].(string)
		if press, ok := api.PressOf(pressed, token); !ok || !same(press, body) {
			t.Errorf("%q: the game was given %+v", body, pressed)
		}
		if _, numbered := pressed.(game.Disc); w.Code != 200 && !numbered && token == "" {
			t.Errorf("%q: %d", body, w.Code)
		}
	})
}

// FuzzSeat checks that a body takes the seat that encoding/json reads in it, and no other.
func FuzzSeat(f *testing.F) {
	var taken *game.Take
	send := fuzz(f, func(t *testing.T, ev game.Event) {
		switch ev := ev.(type) {
		case game.Take:
			taken = &ev
		case game.Leave:
		default:
			t.Fatalf("%T", ev)
		}
	})
	f.Fuzz(func(t *testing.T, body string) {
		taken = nil
		w := send(t, "POST", "/v1/seat", body)
		if taken != nil && !same(api.SeatRequest{Seat: board.Standard.Name(taken.Player), Name: taken.Holder}, body) {
			t.Errorf("%q: %d, the game was given %+v", body, w.Code, taken)
		}
		var seat api.Seated
		if taken != nil && (json.Unmarshal(w.Body.Bytes(), &seat) != nil || (seat.Token != "") != (w.Code == 201) || w.Code != 201 && w.Code != 409) {
			t.Errorf("%q: %d %s", body, w.Code, w.Body)
		}
	})
}

// FuzzMatch checks that a match that starts can be played, and is the one that was requested.
func FuzzMatch(f *testing.F) {
	var started *game.Start
	send := fuzz(f, func(t *testing.T, ev game.Event) {
		start, ok := ev.(game.Start)
		if !ok {
			t.Fatalf("%T", ev)
		}
		started = &start
	})
	f.Fuzz(func(t *testing.T, body string) {
		started = nil
		w := send(t, "POST", "/v1/match", body)
		if started == nil {
			if w.Code < 400 {
				t.Errorf("%q: %d without a match", body, w.Code)
			}
			return
		}
		s := started.Setup
		if err := s.Check(); err != nil {
			t.Errorf("%q: %+v: %v", body, s, err)
		}
		if (s.Computer == board.Empty) != (s.Level == 0) {
			t.Errorf("%q: %+v: level and computer", body, s)
		}
		fields, ok := asked(body)
		got := map[string]any{
			"board": fmt.Sprintf("%dx%d", s.Rules.Columns, s.Rules.Rows), "connect": float64(s.Rules.Connect), "points": float64(s.Points),
			"position": s.Opening, "force": started.Force,
		}
		for name, value := range fields {
			if text, isText := value.(string); isText {
				value = strings.ToLower(text)
			}
			if want, plain := got[name]; plain && value != want {
				t.Errorf("%q: %s is %v", body, name, want)
			}
		}
		if !ok && strings.TrimSpace(body) != "" {
			t.Errorf("%q was accepted", body)
		}
	})
}

// protocol has the methods of each path.
var protocol = map[string][]string{
	"/v1/status": {"GET"}, "/v1/events": {"GET"}, "/v1/matches": {"GET"}, "/v1/press": {"POST"}, "/v1/admit": {"POST"},
	"/v1/match": {"POST", "DELETE"}, "/v1/seat": {"POST", "DELETE"}, "/v1/hat": {"POST", "PUT"},
}

// FuzzRequest checks that every request is answered, and that only those of the protocol reach the
// game.
func FuzzRequest(f *testing.F) {
	send := fuzz(f, func(t *testing.T, ev game.Event) {})
	f.Fuzz(func(t *testing.T, method, target, body string) {
		if _, err := http.NewRequest(method, "/", nil); err != nil {
			return // net/http refuses it
		}
		w := send(t, method, target, body)
		path, _, _ := strings.Cut(target, "?")
		switch methods, ok := protocol[path]; {
		case w.Code == 307: // to the path's usual spelling
		case !ok && w.Code != 404:
			t.Errorf("%q: %d", target, w.Code)
		case ok && !slices.Contains(methods, method) && w.Code != 404 && method != "HEAD":
			t.Errorf("%s %q: %d", method, target, w.Code)
		}
	})
}

// FuzzState checks that a document describes a view, or that the error says what is wrong with it.
func FuzzState(f *testing.F) {
	f.Fuzz(func(t *testing.T, doc []byte) {
		var s api.State
		if json.Unmarshal(doc, &s) != nil {
			return
		}
		v, err := Dial("/run/x.sock").View(s)
		if err != nil {
			oneLine(t, err.Error())
			return
		}
		if columns := v.Match.Rules().Columns; v.Cursor < 0 || v.Cursor >= board.MaxSide || s.Match != nil && v.Cursor >= columns {
			t.Fatalf("%s: the cursor is on %d of %d columns", doc, v.Cursor, columns)
		}
		again := api.NewState(v)
		if _, err := json.Marshal(again); err != nil {
			t.Fatalf("%s: a view that cannot be encoded: %v", doc, err)
		}
		if v2, err := again.Shown(); err != nil || v2.Frame != v.Frame || v2.Phase != v.Phase || v2.Match != v.Match || v2.Game != v.Game ||
			v2.ID != v.ID || v2.Cursor != v.Cursor || v2.Choices != v.Choices || v2.Computer != v.Computer {
			t.Fatalf("%s: read as\n%+v, then as\n%+v, %v", doc, v, v2, err)
		}
	})
}

// answers is a transport that gives every request of a client the same answer.
type answers struct {
	status int
	body   []byte
}

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: a.status, Body: io.NopCloser(bytes.NewReader(a.body)), Header: http.Header{}, Request: r}, nil
}

// FuzzAnswer checks that, whatever listens on the socket, the client's error for an answer is one
// line, and that the client returns no impossible view or match.
func FuzzAnswer(f *testing.F) {
	f.Fuzz(func(t *testing.T, status uint16, body []byte) {
		c := Dial("/run/x.sock")
		c.http.Transport = answers{int(status), body}
		fine := status/100 == 2
		said := func(err error) {
			t.Helper()
			if err != nil {
				oneLine(t, err.Error())
			} else if !fine {
				t.Errorf("status %d is not an error", status)
			}
		}
		_, err := c.Status(t.Context())
		said(err)
		_, err = c.Do(t.Context(), game.Undo)
		said(err)
		_, err = c.Do(t.Context(), game.End{})
		said(err)
		events := 0
		for v, err := range c.Events(t.Context()) {
			if err != nil {
				said(err)
				break
			}
			events++
			if _, err := json.Marshal(api.NewState(v)); err != nil {
				t.Errorf("event %d: %v", events, err)
			}
		}
		if most := bytes.Count(body, []byte("data:")); events > most {
			t.Errorf("%d events in %d lines", events, most)
		}
		past, err := c.Past(t.Context(), 3)
		said(err)
		for _, e := range past.Matches {
			if text, err := json.Marshal(e); err != nil || !utf8.Valid(text) {
				t.Errorf("%s: %v", text, err)
			}
		}
	})
}
