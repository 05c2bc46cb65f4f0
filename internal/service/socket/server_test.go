package socket

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/pipes"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/words"
)

// The server ignores Content-Type. A panic in a request ends only that request's connection.
func TestContentTypeAndFault(t *testing.T) {
	g := newTable(t, game.Config{})
	o, log := g.options(t), new(gametest.Log)
	o.Log = logTo(log)
	path := serve(t, o)
	c := over(t, path)
	answer, err := c.Post("http://c4hat/v1/press", "application/x-www-form-urlencoded", strings.NewReader(`{"key":"left"}`))
	if err != nil || answer.StatusCode != 200 {
		t.Errorf("a form's type: %v %v", answer, err)
	}
	if answer != nil {
		answer.Body.Close()
	}

	g.fault.Store(true)
	if answer, err := c.Get("http://c4hat/v1/status"); err == nil {
		t.Errorf("a panic is answered with %d", answer.StatusCode)
	}
	g.fault.Store(false)
	if said := log.String(); !strings.Contains(said, "the game is at fault") {
		t.Errorf("the log says %q", said)
	}
	if answer, text := request(t, c, "GET", "/v1/status", ""); answer.StatusCode != 200 {
		t.Errorf("after a panic: %d %s", answer.StatusCode, text)
	}
}

// If the game does not answer, clients get a 503 after two seconds.
func TestStuckGame(t *testing.T) {
	g := newTable(t, game.Config{})
	g.stuck.Store(true)
	piped(t, g.options(t), func(t *testing.T, l *network, _ func()) {
		for _, req := range []string{
			"GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n",
			"POST /v1/press HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\n{\"column\":4}",
			"POST /v1/press HTTP/1.1\r\nHost: x\r\nC4hat-Until: 99999999999999\r\nContent-Length: 12\r\n\r\n{\"column\":4}",
		} {
			conn := l.dial()
			began := time.Now()
			status, text := talk(t, conn, req)
			if took := time.Since(began); status != 503 || !strings.Contains(text, "the game does not answer") || took > answerTime {
				t.Errorf("%q: %d %s, after %v", req, status, text, took)
			}
			conn.Close()
		}
	})
}

// A connection is closed if a request's head or body is too slow, or if the next request does not
// arrive in time.
func TestSlowRequests(t *testing.T) {
	piped(t, newTable(t, game.Config{}).options(t), func(t *testing.T, l *network, _ func()) {
		for _, tt := range []struct {
			sends  string
			status int
		}{
			{"", 0},
			{"GET /v1/st", 400},
			{"GET /v1/status HTTP/1.1\r\nHost: x\r\nA: ", 0},
			{"POST /v1/press HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\n{\"col", 400},
			{"POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\n", 400},
			{"GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n", 200},
			{"GET /v1/status HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("A: "+strings.Repeat("x", 1000)+"\r\n", 20) + "\r\n", 431},
		} {
			conn := l.dial()
			status, text := talk(t, conn, tt.sends)
			if status != tt.status {
				t.Errorf("%s: %d %s, want %d", words.Quote(tt.sends), status, text, tt.status)
			}
			if _, err := conn.Read(make([]byte, 1)); err == nil {
				t.Errorf("%s: the connection is still open", words.Quote(tt.sends))
			}
			conn.Close()
		}
	})
}

// A client that shuts down its sending side, as nc -N and socat do, gets its answer.
func TestHalfClosed(t *testing.T) {
	g := newTable(t, game.Config{})
	o := g.options(t)
	o.As = func(from game.Source) session.Session { return late{player{g, from}} }
	path := serve(t, o)
	for _, sends := range []string{
		askStatus,
		"GET /v1/status HTTP/1.0\r\n\r\n",
		"POST /v1/press HTTP/1.1\r\nHost: x\r\nContent-Length: 14\r\n\r\n{\"key\":\"left\"}",
	} {
		if status, text := halfClosed(t, path, sends); status != 200 {
			t.Errorf("%q: %d %s", sends, status, text)
		}
	}
}

// late answers when the server has seen that the client has shut down its sending side.
type late struct{ player }

func (l late) Do(ctx context.Context, ev game.Event) (game.View, error) {
	select {
	case <-ctx.Done():
		return game.View{}, ctx.Err()
	case <-time.After(50 * time.Millisecond):
		return l.player.Do(ctx, ev)
	}
}

// halfClosed sends a text, shuts down the sending side, and returns the answer.
func halfClosed(t *testing.T, path, sends string) (status int, text string) {
	t.Helper()
	conn, err := net.Dial("unix", path)
	must(t, err)
	defer conn.Close()
	if _, err := io.WriteString(conn, sends); err != nil {
		t.Fatal(err)
	}
	must(t, conn.(*net.UnixConn).CloseWrite())
	return talk(t, conn, "")
}

// A body that contradicts the request's head is refused at once.
func TestBrokenBodies(t *testing.T) {
	_, path := served(t, game.Config{})
	for sends, says := range map[string]string{
		"Transfer-Encoding: chunked\r\n\r\nzz\r\n":            "invalid byte in chunk length",
		"Transfer-Encoding: chunked\r\n\r\ne\r\n{\"key\":":    "unexpected EOF",
		"Content-Length: 14\r\n\r\n{\"key\":":                 "unexpected EOF",
		"Transfer-Encoding: chunked\r\n\r\n2\r\n{}x\r\n0\r\n": "malformed chunked encoding",
	} {
		status, text := halfClosed(t, path, "POST /v1/press HTTP/1.1\r\nHost: x\r\n"+sends)
		if status != 400 || !strings.Contains(text, says) {
			t.Errorf("%q: %d %s, want 400 and %s", sends, status, text, says)
		}
	}
}

// A client that does not read the answers loses its connection, whatever it requests.
func TestUnreadAnswers(t *testing.T) {
	for _, path := range []string{"/v1/status", "/v1/events", "/v1/matches", "/nowhere"} {
		o := newTable(t, game.Config{}).options(t)
		o.Matches = history(t, 0)
		piped(t, o, func(t *testing.T, l *network, _ func()) {
			for range 100 {
				conn := l.dial()
				defer conn.Close()
				go func() { _, _ = io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n") }()
			}
			time.Sleep(2 * readTime)
			conn := l.dial()
			defer conn.Close()
			if status, text := talk(t, conn, askStatus); status != 200 {
				t.Errorf("after %s: %d %s", path, status, text)
			}
		})
	}
}

func TestServeListenerFails(t *testing.T) {
	g := newTable(t, game.Config{})
	l := pipes.New()
	l.Close()
	if err := New(g.options(t)).Serve(t.Context(), l); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a listener that fails: %v", err)
	}
}
