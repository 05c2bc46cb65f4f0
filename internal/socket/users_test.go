package socket

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

const askEvents = "GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n"

// However many slow connections a user has, other users' requests are answered at once.
func TestUserFloods(t *testing.T) {
	for _, sends := range []string{"", "GET /v1/st", askStatus, askEvents} {
		piped(t, newTable(t, game.Config{}).options(t), func(t *testing.T, l *pipes, _ func()) {
			flood := func(n int) {
				for range n {
					conn := l.dialAs(1)
					t.Cleanup(func() { conn.Close() })
					go func() { _, _ = io.WriteString(conn, sends) }()
				}
			}
			before := time.Now()
			flood(500)
			for range 100 {
				conn := l.dialAs(2)
				if status, text := talk(t, conn, askStatus); status != 200 {
					t.Fatalf("%q: %d %s", sends, status, text)
				}
				conn.Close()
				flood(5)
			}
			if took := time.Since(before); took > 0 {
				t.Errorf("%q: it took %v", sends, took)
			}
		})
	}
}

// A user gets at most half of the places, and the last places are for users who have fewer than
// two.
func TestUserShares(t *testing.T) {
	piped(t, newTable(t, game.Config{}).options(t), func(t *testing.T, l *pipes, _ func()) {
		for _, tt := range []struct{ user, places int }{{1, 16}, {2, 12}, {3, 2}, {4, 2}, {5, 0}, {1, 0}} {
			for n := range tt.places + 1 {
				conn := l.dialAs(tt.user)
				defer conn.Close()
				want := 200
				if n == tt.places {
					want = 503
				}
				if status, text := talk(t, conn, askStatus); status != want {
					t.Errorf("connection %d of user %d: %d %s", n+1, tt.user, status, text)
				}
			}
		}
	})
}

// A user who has the most streams allowed can still press keys, and others can watch.
func TestUserStreams(t *testing.T) {
	piped(t, newTable(t, game.Config{}).options(t), func(t *testing.T, l *pipes, _ func()) {
		for range maxStreams / 2 {
			conn := l.dialAs(1)
			defer conn.Close()
			_ = next(t, follow(t, conn))
		}
		conn := l.dialAs(1)
		defer conn.Close()
		if status, text := talk(t, conn, askEvents); status != 503 {
			t.Errorf("one stream more: %d %s", status, text)
		}
		if status, text := talk(t, conn, askStatus); status != 200 {
			t.Errorf("with the user's streams open: %d %s", status, text)
		}
		conn = l.dialAs(2)
		defer conn.Close()
		_ = next(t, follow(t, conn))
	})
}

// Slow clients do not delay the shutdown of the server.
func TestEndWithoutDelay(t *testing.T) {
	for _, sends := range []string{"", "GET /v1/st", askStatus, askEvents, "GET /v1/matches HTTP/1.1\r\nHost: x\r\n\r\n"} {
		o := newTable(t, game.Config{}).options(t)
		o.Matches = history(t, 5000)
		piped(t, o, func(t *testing.T, l *pipes, end func()) {
			for range 100 {
				conn := l.dialAs(1)
				defer conn.Close()
				go func() { _, _ = io.WriteString(conn, sends) }()
			}
			time.Sleep(time.Second / 2)
			before := time.Now()
			end()
			if took := time.Since(before); took > shutdownTime {
				t.Errorf("%q: %v", sends, took)
			}
		})
	}
}

// Each connection is a separate source, and so is each person for whom a program asks, and each [Client], on
// whichever connection.
func TestSources(t *testing.T) {
	o := newTable(t, game.Config{}).options(t)
	of := map[game.Source]int{}
	do := o.Do
	o.Do = func(ctx context.Context, ev game.Event, from game.Source) (game.View, error) {
		of[from]++
		return do(ctx, ev, from)
	}
	piped(t, o, func(t *testing.T, l *pipes, _ func()) {
		for range 5 {
			conn := l.dialAs(1)
			for range 3 {
				if status, text := talk(t, conn, askStatus); status != 200 {
					t.Error(status, text)
				}
			}
			conn.Close()
		}
		if len(of) != 5 {
			t.Errorf("%v", of)
		}
		for from, n := range of {
			if from.Kind != game.Client || n != 3 {
				t.Errorf("source %d: %d requests", from, n)
			}
		}
		clear(of)
		for range 2 {
			conn := l.dialAs(1)
			for person := range 3 {
				ask := strings.Replace(askStatus, "\r\n", fmt.Sprintf("\r\nC4hat-Person: %d\r\n", person), 1)
				if status, text := talk(t, conn, ask); status != 200 {
					t.Error(status, text)
				}
			}
			conn.Close()
		}
		if len(of) != 3 {
			t.Errorf("three people: %v", of)
		}
		clear(of)
		for range 2 {
			c := Connect(func(context.Context) (net.Conn, error) { return l.dialAs(1), nil })
			for range 3 {
				if _, err := c.Do(t.Context(), game.Pause); err != nil {
					t.Error(err)
				}
				c.Close()
			}
		}
		if len(of) != 2 {
			t.Errorf("two clients: %v", of)
		}
	})
}
