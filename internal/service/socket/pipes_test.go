package socket

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/c4hat/c4hat/internal/dev/pipes"
)

// network is a listener in memory.
type network struct {
	*pipes.Listener
	t         *testing.T
	strangers int
}

// dial connects as another user each time.
func (n *network) dial() net.Conn {
	n.strangers++
	return n.dialAs(fmt.Sprint("stranger ", n.strangers))
}

func (n *network) dialAs(user string) net.Conn {
	conn, err := n.Dial(context.Background(), "", user)
	if err != nil {
		n.t.Error(err)
	}
	return conn
}

// servePipes runs a server until end is called. A connection's user is the one given to dialAs.
func servePipes(t *testing.T, o Options, l net.Listener) (end func()) {
	s := New(o)
	s.user = func(conn net.Conn) string { return conn.RemoteAddr().String() }
	return run(t, s, l)
}

// piped serves pipes in a synctest bubble during play, which may end the server earlier.
func piped(t *testing.T, o Options, play func(t *testing.T, l *network, end func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &network{Listener: pipes.New(), t: t}
		end := sync.OnceFunc(servePipes(t, o, l))
		defer end()
		play(t, l, end)
	})
}

// run runs a server until end is called.
func run(t testing.TB, s *Server, l net.Listener) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	}
}

const askStatus = "GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n"

// talk sends a text and reads the answer; the status is 0 if there is no answer.
func talk(t *testing.T, conn net.Conn, sends string) (status int, text string) {
	t.Helper()
	go func() { _, _ = io.WriteString(conn, sends) }() // a pipe does not buffer: the answer may come before everything is written
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return answer.StatusCode, err.Error()
	}
	return answer.StatusCode, string(body)
}

// logTo returns a logger with the service's default level.
func logTo(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, nil))
}
