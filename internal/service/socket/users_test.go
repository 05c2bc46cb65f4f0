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
	"github.com/c4hat/c4hat/internal/session"
)

// Slow clients do not delay the shutdown of the server.
func TestEndWithoutDelay(t *testing.T) {
	for _, sends := range []string{"", "GET /v1/st", askStatus, "GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n", "GET /v1/matches HTTP/1.1\r\nHost: x\r\n\r\n"} {
		o := newTable(t, game.Config{}).options(t)
		o.Matches = history(t, 5000)
		piped(t, o, func(t *testing.T, l *network, end func()) {
			for range 100 {
				conn := l.dialAs("a")
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
	as := o.As
	o.As = func(from game.Source) session.Session {
		of[from]++
		return as(from)
	}
	piped(t, o, func(t *testing.T, l *network, _ func()) {
		for range 5 {
			conn := l.dialAs("a")
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
			conn := l.dialAs("a")
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
			c := Connect("here", func(context.Context, string, string) (net.Conn, error) { return l.dialAs("a"), nil })
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
