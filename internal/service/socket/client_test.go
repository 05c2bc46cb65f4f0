package socket

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/socketdir"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/session"
)

// A client can start a match, play it, take a seat and follow the game, and gets what the game shows.
func TestClient(t *testing.T) {
	inside(t, func(b *bench) { b.config.Attract = true }, func(b *bench) {
		ctx, c := b.t.Context(), b.client("a")
		defer c.Close()
		status, err := c.Status(ctx)
		if err != nil || status.Machine != (Machine{Version: "1.2.3", PID: 42, Uptime: 7, Matrix: true}) || status.Phase != game.Attract {
			t.Errorf("the status is %+v, %v", status, err)
		}
		if _, err := c.Do(ctx, game.End{}); !errors.Is(err, game.ErrNoMatch) {
			t.Errorf("End without a match: %v", err)
		}
		start := game.Start{Seed: 1<<64 - 1, Setup: game.Setup{
			Rules: board.Rules{Columns: 8, Rows: 8, Connect: 5}, Points: 1, First: board.FirstLoser, Computer: board.Yellow, Level: 2, Opening: "12",
		}}
		if v, err := c.Do(ctx, start); err != nil || v != b.hat() {
			t.Errorf("started with %+v, %v", v, err)
		}
		if _, err = c.Do(ctx, start); !errors.Is(err, game.ErrUnderWay) {
			t.Errorf("a second match: %v", err)
		}
		start.Setup, start.Force = game.Setup{Rules: board.Standard, Points: 2}, true
		_, err = c.Do(ctx, start)
		must(t, err)
		b.events()
		views, stop := iter.Pull2(c.Views(ctx))
		defer stop()
		for _, ev := range []game.Event{game.Tick{}, game.Press{Key: game.Left}, game.Column{Col: 7}, game.Undo, game.Pause} {
			c.Close() // on another connection it is the same person
			answered, err := c.Do(ctx, ev)
			shown, errShown, _ := views()
			if want := b.hat(); err != nil || errShown != nil || answered != want || shown != want {
				t.Errorf("after %+v: %v, %v, answered %+v and shown %+v, want %+v", ev, err, errShown, answered, shown, want)
			}
			if given := b.events(); ev != (game.Tick{}) && !reflect.DeepEqual(given, []game.Event{ev}) {
				t.Errorf("%+v arrives as %+v", ev, given)
			}
		}
		for _, ev := range []game.Event{game.Press{}, game.Column{Col: 8}, game.Quit{}, game.Present{}, game.Point{Col: 3}} {
			if v, err := c.Do(ctx, ev); err != nil || v != (game.View{}) || b.events() != nil {
				t.Errorf("%+v: %v, %v", ev, v, err)
			}
		}
		if len(b.from) != 1 {
			t.Errorf("a client is %d sources", len(b.from))
		}
		for last, want := range map[int][]string{0: {"m-0", "m-1", "m-2", "m-3", "m-4"}, 2: {"m-3", "m-4"}, 99999: {"m-0", "m-1", "m-2", "m-3", "m-4"}} {
			var got []string
			past, err := c.Past(ctx, last)
			must(t, err)
			for _, m := range past.Matches {
				got = append(got, m.ID)
			}
			if !slices.Equal(got, want) {
				t.Errorf("the last %d matches are %v", last, got)
			}
		}
	})
}

// follow reads a session's views for a time.
func follow(b *bench, s session.Session, d time.Duration) {
	ctx, stop := context.WithTimeout(b.t.Context(), d)
	go func() {
		defer stop()
		for range s.Views(ctx) {
		}
	}()
}

// While a holder follows the game, however often, the seat stays taken. Half a minute after the last stream it is
// open, and the token is lost.
func TestSeatStreams(t *testing.T) {
	inside(t, nil, func(b *bench) {
		seat, err := b.client("a").Take(b.t.Context(), game.Take{Player: board.Yellow})
		must(t, err)
		follow(b, seat, time.Minute)
		follow(b, seat, 3*time.Minute)
		for _, want := range []game.SeatState{game.Taken, game.Taken, game.Away, game.Open} {
			time.Sleep(time.Minute + time.Second)
			synctest.Wait()
			if state := b.hat().Seats[1].State; state != want {
				t.Errorf("the seat is %q, want %q", state, want)
			}
		}
		for _, err := range seat.Views(b.t.Context()) {
			if !errors.Is(err, game.ErrNoSeat) {
				t.Errorf("a stream of a lost seat: %v", err)
			}
		}
	})
}

// A client says that the service is lost, and tries each second to reach it, until it is back or the user quits.
func TestServiceAway(t *testing.T) {
	for away, want := range map[time.Duration]error{5 * time.Second: nil, time.Hour: nil, 3 * time.Hour: session.ErrInterrupted} {
		inside(t, nil, func(b *bench) {
			ctx, cancel := context.WithCancelCause(b.t.Context())
			defer cancel(nil)
			var conn net.Conn
			var back time.Time
			tries := 0
			c := Connect("here", func(context.Context, string, string) (net.Conn, error) {
				if tries++; time.Now().Before(back) {
					return nil, net.ErrClosed
				}
				conn = b.dial("a", "")
				return conn, nil
			})
			next, stop := iter.Pull2(c.Views(ctx))
			defer stop()
			_, _, _ = next()
			time.Sleep(time.Minute)
			began := time.Now()
			back = began.Add(away)
			conn.Close()
			time.AfterFunc(2*time.Hour, func() { cancel(session.ErrInterrupted) })
			v, err, _ := next()
			lost := 0
			for ; v.Lost && err == nil; v, err, _ = next() {
				lost++
			}
			took := time.Since(began)
			if seconds := int(took / time.Second); !errors.Is(err, want) || took != min(away, 2*time.Hour) || lost < seconds || tries > seconds+3 {
				t.Errorf("away for %v: %v after %v, lost %d times, %d tries", away, err, took, lost, tries)
			}
		})
	}
}

// Without a service the error says what to do, and a service that stops is lost.
func TestNoDaemon(t *testing.T) {
	dir := socketdir.New(t)
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	b, path := outside(t, nil)
	for _, err := range stream[api.State](t.Context(), Dial(path), "GET /v1/events") {
		if b.end(); err != nil && !errors.Is(err, ErrLost) {
			t.Errorf("the end is %v", err)
		}
	}
	for _, path := range []string{path, filepath.Join(dir, "none"), filepath.Join(dir, "no", "ne"), file} {
		_, err := Dial(path).Status(t.Context())
		if !errors.Is(err, ErrNoDaemon) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "http://") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A client waits five seconds for an answer, and closes an idle connection before the server does, which
// would make its next request fail.
func TestClientPatience(t *testing.T) {
	inside(t, nil, func(b *bench) {
		here, there := net.Pipe()
		defer there.Close()
		go func() { _, _ = io.Copy(io.Discard, there) }()
		began := time.Now()
		_, err := Connect("here", func(context.Context, string, string) (net.Conn, error) { return here, nil }).Status(b.t.Context())
		if took := time.Since(began); !errors.Is(err, ErrLost) || took != 5*time.Second {
			t.Errorf("%v, after %v", err, took)
		}
		conn := idle{b.dial("a", ""), make(chan time.Time, 1)}
		_, err = Connect("here", func(context.Context, string, string) (net.Conn, error) { return conn, nil }).Status(b.t.Context())
		must(t, err)
		began = time.Now()
		if took := (<-conn.closed).Sub(began); took < time.Second || took > 4*time.Second {
			t.Errorf("an idle connection is closed after %v", took)
		}
	})
}

// idle sends the time at which it is closed.
type idle struct {
	net.Conn
	closed chan time.Time
}

func (c idle) Close() error {
	select {
	case c.closed <- time.Now():
	default:
	}
	return c.Conn.Close()
}

// asked makes requests of all kinds and returns their errors. Errors are one line. The client
// returns no view and no match that cannot be encoded.
func asked(t *testing.T, c *Client) (errs map[string]error) {
	t.Helper()
	errs = map[string]error{}
	_, errs["status"] = c.Status(t.Context())
	_, errs["press"] = c.Do(t.Context(), game.Undo)
	_, errs["take"] = c.Take(t.Context(), game.Take{Player: board.Red})
	past, err := c.Past(t.Context(), 3)
	errs["matches"] = err
	if _, err := json.Marshal(past.Matches); err != nil {
		t.Error(err)
	}
	for s, err := range stream[api.State](t.Context(), c, "GET /v1/events") {
		if errs["events"] = err; err == nil {
			_, err = json.Marshal(api.NewState(s.View))
			must(t, err)
		}
	}
	for _, err := range errs {
		if err != nil {
			try.OneLine(t, err.Error())
		}
	}
	return errs
}

// Whatever listens on the socket, the client's errors are one line, and the client reads no more
// than the longest possible answer. A stream has no maximum length: only each event has.
func TestRogueService(t *testing.T) {
	const ok, endless = "HTTP/1.1 200 OK\r\n\r\n", "xxxxxx"
	for _, tt := range []struct{ head, rest, unexpected string }{
		{ok + "data: ", endless, "events"},
		{ok + `{"matches":[{"id":"`, endless, "matches"},
		{"HTTP/1.1 200 OK\r\nA: ", endless, ""},
		{"HTTP/1.1 400 Bad Request\r\n\r\n", endless, "status"},
		{"hello\r\n\r\n", "", ""},
		{"", "", ""},
		{ok, "data: <html>\n\n", "events"},
		{ok, `data: {"phase":"aim"}` + "\n\n", "events"},
		{"HTTP/1.1 400 Bad Request\r\n\r\n", `{"error":"\u001b[2J\nyou"}`, ""},
		{"HTTP/1.1 302 Found\r\nLocation: http://example.org/\r\nContent-Length: 0\r\n\r\n", "", ""},
		{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", "", ""},
	} {
		c := Connect("/run/x.sock", func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			go func() {
				defer there.Close()
				_, _ = there.Read(make([]byte, 4096))
				_, err := io.WriteString(there, tt.head+tt.rest)
				for err == nil && tt.rest == endless {
					_, err = io.WriteString(there, strings.Repeat(endless, 1000))
				}
			}()
			return here, nil
		})
		for what, err := range asked(t, c) {
			if err == nil || what == tt.unexpected && !strings.HasPrefix(err.Error(), "unexpected answer from /run/x.sock (") {
				t.Errorf("%q: %s: %v", tt.head+tt.rest, what, err)
			}
		}
		c.Close()
	}
	const events = 10
	doc := `"` + strings.Repeat("x", maxEvent/2) + `"`
	c := Dial("/run/x.sock")
	c.http.Transport = answers{http.StatusOK, []byte(strings.Repeat("data: "+doc+"\n\n", events))}
	n := 0
	for got, err := range stream[string](t.Context(), c, "GET /v1/events") {
		if (err != nil) != (n == events) || err == nil && len(got) != maxEvent/2 {
			t.Errorf("after %d events: %d bytes, %v", n, len(got), err)
		}
		n++
	}
}

// answers is a transport that gives every request of a client the same answer.
type answers struct {
	status int
	body   []byte
}

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: a.status, Body: io.NopCloser(bytes.NewReader(a.body)), Header: http.Header{}, Request: r}, nil
}

// FuzzAnswer checks what [asked] checks, and that an answer without success is an error.
func FuzzAnswer(f *testing.F) {
	f.Fuzz(func(t *testing.T, status uint16, body []byte) {
		c := Dial("/run/x.sock")
		c.http.Transport = answers{int(status), body}
		for what, err := range asked(t, c) {
			if err == nil && status/100 != 2 {
				t.Errorf("%s: status %d is not an error", what, status)
			}
		}
	})
}

// A match with very many rounds can be sent and read.
func TestLongMatch(t *testing.T) {
	m, err := board.NewMatch(board.Rules{Columns: 3, Rows: 2, Connect: 3}, 2, board.FirstAlternate, 0)
	must(t, err)
	for range 1000 {
		g := m.NewGame()
		for _, col := range []int{0, 1, 2, 0, 1, 2} { // a draw
			must(t, g.Play(col))
		}
		m, err = m.Record(g)
		must(t, err)
	}
	v := game.View{Phase: game.Aim, Record: game.Record{ID: "x", Match: m, Game: m.NewGame()}}
	if e := New(Options{}).encode(v); len(e) > maxEvent {
		t.Errorf("an event of %d bytes", len(e))
	}
}

// A damaged match keeps its number.
func TestPastInOrder(t *testing.T) {
	damaged := func(b *bench) {
		b.Matches = func(int) iter.Seq2[match.Finished, error] {
			return func(yield func(match.Finished, error) bool) {
				for m := range history(1)(0) {
					none := match.Damage{Err: io.EOF} // no match has this place
					_ = yield(m, match.Damage{Number: 1, Err: io.EOF}) && yield(m, nil) && yield(m, none) && yield(m, match.Damage{Number: 3, Err: io.EOF})
				}
			}
		}
	}
	inside(t, damaged, func(b *bench) {
		past, err := b.client("a").Past(b.t.Context(), 0)
		var got []string
		for m, err := range past.All {
			if bad := (match.Damage{}); errors.As(err, &bad) {
				m.ID = fmt.Sprint(bad.Number)
			}
			got = append(got, m.ID)
		}
		if want := []string{"1", "m-0", "3"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	})
}
