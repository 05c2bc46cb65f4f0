package socket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/pipes"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

const askPress = "POST /v1/press HTTP/1.1\r\nHost: x\r\n"

// A connection is closed if a request's head or body is too slow, or if the next request does not
// arrive in time.
func TestSlowRequests(t *testing.T) {
	for sends, want := range map[string]int{
		"":           0,
		"GET /v1/st": 400,
		"GET /v1/status HTTP/1.1\r\nHost: x\r\nA: ":                       0,
		askPress + "Content-Length: 12\r\n\r\n{\"col":                     400,
		"POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\n": 400,
		askStatus: 200,
		"GET /v1/status HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("A: "+strings.Repeat("x", 1000)+"\r\n", 20) + "\r\n": 431,
	} {
		inside(t, nil, func(b *bench) {
			conn := b.dial("a", sends)
			if status, text := answer(conn); status != want {
				t.Errorf("%s: %d %s, want %d", words.Quote(sends), status, text, want)
			}
			began := time.Now()
			if _, err := conn.Read(make([]byte, 1)); err == nil || time.Since(began) > patience {
				t.Errorf("%s: the connection is open for %v", words.Quote(sends), time.Since(began))
			}
		})
	}
}

// A client that shuts down its sending side, as nc -N and socat do, gets its answer. A body that contradicts the
// request's head is refused at once.
func TestHalfClosed(t *testing.T) {
	_, path := outside(t, func(b *bench) {
		b.before = func(ctx context.Context) error { // until the server has seen that nothing more comes
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(50 * time.Millisecond):
				return nil
			}
		}
	})
	for sends, says := range map[string]string{
		askStatus:                         "machine",
		"GET /v1/status HTTP/1.0\r\n\r\n": "machine",
		askLeft:                           "phase",
		askPress + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 14\r\n\r\n{\"key\":\"left\"}": "phase",
		askPress + "Transfer-Encoding: chunked\r\n\r\nzz\r\n":                                                        "invalid byte in chunk length",
		askPress + "Transfer-Encoding: chunked\r\n\r\ne\r\n{\"key\":":                                                "unexpected EOF",
		askPress + "Content-Length: 14\r\n\r\n{\"key\":":                                                             "unexpected EOF",
		askPress + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}x\r\n0\r\n":                                             "malformed chunked encoding",
	} {
		conn, err := net.Dial("unix", path)
		must(t, err)
		_, err = io.WriteString(conn, sends)
		must(t, err)
		must(t, conn.(*net.UnixConn).CloseWrite())
		want := 400
		if says == "machine" || says == "phase" {
			want = 200
		}
		if status, text := answer(conn); status != want || !strings.Contains(text, says) {
			t.Errorf("%q: %d %s, want %d and %s", sends, status, text, want, says)
		}
		conn.Close()
	}
}

// Clients that do not read their answers lose their connections, whatever they request, and do not delay the
// server's end.
func TestUnreadAnswers(t *testing.T) {
	for _, sends := range []string{"", "GET /v1/st", askStatus, askEvents, askPast, "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n"} {
		inside(t, func(b *bench) { b.Matches = history(5000) }, func(b *bench) {
			for range 100 {
				b.dial("rude", sends)
			}
			time.Sleep(2 * readTime)
			if status, text := answer(b.dial("kind", askStatus)); status != 200 {
				t.Errorf("%q: %d %s", sends, status, text)
			}
			for range 100 {
				b.dial("rude", sends)
			}
			time.Sleep(time.Second / 2)
			before := time.Now()
			b.end()
			if took := time.Since(before); took > shutdownTime {
				t.Errorf("%q: the end takes %v", sends, took)
			}
		})
	}
}

// Each connection is a separate source, and so is each person for whom a program asks, and each [Client], on
// whichever connection.
func TestSources(t *testing.T) {
	ask := func(b *bench, conns int, sends ...string) {
		for range conns {
			conn := b.dial("a", "")
			for _, text := range sends {
				go func() { _, _ = io.WriteString(conn, text) }()
				if status, text := answer(conn); status != 200 {
					t.Error(status, text)
				}
			}
		}
	}
	person := func(n int) string {
		return strings.Replace(askStatus, "\r\n", fmt.Sprintf("\r\nC4hat-Person: %d\r\n", n), 1)
	}
	for _, tt := range []struct {
		sources, each int
		ask           func(*bench)
	}{
		{5, 3, func(b *bench) { ask(b, 5, askStatus, askStatus, askStatus) }},
		{3, 2, func(b *bench) { ask(b, 2, person(1), person(2), person(3)) }},
		{2, 3, func(b *bench) {
			for range 2 {
				c := b.client("a")
				for range 3 {
					_, err := c.Do(b.t.Context(), game.Pause)
					must(t, err)
					c.Close()
				}
			}
		}},
	} {
		inside(t, nil, func(b *bench) {
			if tt.ask(b); len(b.from) != tt.sources {
				t.Errorf("%d sources, want %d", len(b.from), tt.sources)
			}
			for from, n := range b.from {
				if from.Kind != game.Client || n != tt.each {
					t.Errorf("%d events from %+v, want %d", n, from, tt.each)
				}
			}
		})
	}
}

// A panic in a request ends only that request's connection, and is logged. A listener that fails ends the server.
func TestFaults(t *testing.T) {
	inside(t, nil, func(b *bench) {
		b.before = func(context.Context) error { panic("the game is at fault") }
		if status, _ := answer(b.dial("a", askStatus)); status != 0 || !strings.Contains(b.log.String(), "the game is at fault") {
			t.Errorf("a panic is answered with %d, and the log says %q", status, b.log.String())
		}
		b.before = nil
		if status, text := answer(b.dial("a", askStatus)); status != http.StatusOK {
			t.Errorf("after a panic: %d %s", status, text)
		}
	})
	l := pipes.New()
	l.Close()
	if err := newBench(t, nil).server.Serve(t.Context(), l); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a listener that fails: %v", err)
	}
}
