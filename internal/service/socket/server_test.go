package socket

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
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

// A client that shuts down its sending side, as nc -N and socat do, gets its answer, also if that takes a moment. A
// body that contradicts the request's head is refused at once.
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
	for _, tt := range []struct {
		sends  string
		status int
		says   string
	}{
		{askStatus, 200, "machine"},
		{"GET /v1/status HTTP/1.0\r\n\r\n", 200, "machine"},
		{askLeft, 200, "phase"},
		{askPress + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "invalid byte in chunk length"},
		{askPress + "Content-Length: 14\r\n\r\n{\"key\":", 400, "unexpected EOF"},
	} {
		conn, err := net.Dial("unix", path)
		must(t, err)
		_, err = io.WriteString(conn, tt.sends)
		must(t, err)
		must(t, conn.(*net.UnixConn).CloseWrite())
		if status, text := answer(conn); status != tt.status || !strings.Contains(text, tt.says) {
			t.Errorf("%q: %d %s, want %d and %s", tt.sends, status, text, tt.status, tt.says)
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

// Each connection is a separate source, and so is each person for whom a user's program asks, on whichever
// connection, and the holder of a token.
func TestSources(t *testing.T) {
	seen := map[game.Source]string{}
	for _, tt := range []struct {
		who, user    string
		conn         uint64
		header, text string
	}{
		{"one", "a", 1, "", ""},
		{"one", "a", 1, "", ""},
		{"two", "a", 2, "", ""},
		{"ann", "a", 1, PersonHeader, "1"},
		{"ann", "a", 2, PersonHeader, "1"},
		{"bob", "a", 1, PersonHeader, strings.Repeat("b", 200)},
		{"cas", "b", 1, PersonHeader, "1"},
		{"seat", "a", 1, TokenHeader, "1"},
		{"seat", "b", 2, TokenHeader, "1"},
		{"none", "b", 2, TokenHeader, ""},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		if tt.header != "" {
			r.Header.Set(tt.header, tt.text)
		}
		from := source(r.WithContext(context.WithValue(t.Context(), connection{}, &Conn{User: tt.user, Number: tt.conn})))
		if who, known := seen[from]; known && who != tt.who || (from.Kind == game.Holder) != (tt.header == TokenHeader) {
			t.Errorf("%+v is %+v, as %s", tt, from, who)
		}
		seen[from] = tt.who
	}
	if len(seen) != 7 {
		t.Errorf("%d sources: %v", len(seen), seen)
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
