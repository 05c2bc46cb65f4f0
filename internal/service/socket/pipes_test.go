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
)

// pipes is a listener whose connections are in memory, for tests with a fake clock.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once

	strangers int
}

// pipe is the server's end of a connection.
type pipe struct {
	net.Conn
	user string
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// dial connects as another user each time.
func (p *pipes) dial() net.Conn {
	p.strangers++
	return p.dialAs(fmt.Sprint("stranger ", p.strangers))
}

func (p *pipes) dialAs(user string) net.Conn {
	here, there := net.Pipe()
	p.conns <- pipe{there, user}
	return here
}

// servePipes runs a server until end is called. A connection's user is the one given to dialAs.
func servePipes(t *testing.T, o Options, l net.Listener) (end func()) {
	s := New(o)
	s.user = func(conn net.Conn) string { return conn.(pipe).user }
	return run(t, s, l)
}

// piped serves pipes in a synctest bubble during play, which may end the server earlier.
func piped(t *testing.T, o Options, play func(t *testing.T, l *pipes, end func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
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
