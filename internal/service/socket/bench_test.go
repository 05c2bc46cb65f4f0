package socket

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/pipes"
	"github.com/c4hat/c4hat/internal/dev/socketdir"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/session"
)

var must = try.Must

// bench is a game and its server, which answers on a network in memory. A connection's user is the address that
// it comes from.
type bench struct {
	Options
	config game.Config // until the game begins
	t      testing.TB
	game   *session.Local
	server *Server
	log    gametest.Log
	net    *pipes.Listener
	end    func()                      // ends the server
	before func(context.Context) error // is called before each event, if it is not nil

	mu    sync.Mutex
	given []game.Event        // since the last call of events, without ticks
	from  map[game.Source]int // how many events came from each source
}

// newBench returns a bench whose server does not listen yet. The game begins with a match, or as change says.
func newBench(t testing.TB, change func(*bench)) *bench {
	setup := game.Setup{Rules: board.Standard, Points: 2, First: board.FirstLoser}
	b := &bench{t: t, net: pipes.New(), from: map[game.Source]int{}, config: game.Config{Setup: setup, Run: "run-1", Forever: true}}
	b.Options = Options{
		Matches: history(5), Setup: setup, Log: slog.New(slog.NewTextHandler(&b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		As:     func(from game.Source) session.Session { return recorder{b.game.As(from), b, from} },
		Status: func() Machine { return Machine{Version: "1.2.3", PID: 42, Uptime: 7, Matrix: true} },
	}
	if change != nil {
		change(b)
	}
	state, err := game.New(b.config, time.Now())
	must(t, err)
	b.game, b.server = session.New(state, session.Options{}), New(b.Options)
	b.server.share.Limit = rate.Inf
	b.server.user = func(conn net.Conn) string { return conn.RemoteAddr().String() }
	return b
}

// run runs the game and the server until end is called.
func (b *bench) run(l net.Listener) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	_, stop := b.game.Start(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.server.Serve(ctx, l) }()
	b.end = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			b.t.Errorf("Serve: %v", err)
		}
	})
	return func() {
		b.end()
		_, _ = stop()
	}
}

// inside runs a test in a synctest bubble, and checks that nothing is left of it.
func inside(t *testing.T, change func(*bench), play func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, change)
		end := b.run(b.net)
		play(b)
		end()
		time.Sleep(answerTime + time.Second) // net/http closes connections slowly
		synctest.Wait()
		if n := b.server.share.count(); n > 0 {
			t.Errorf("%d connections are still open", n)
		}
	})
}

// outside runs a server on a socket until the test ends, and returns the socket's path.
func outside(t testing.TB, change func(*bench)) (b *bench, path string) {
	t.Helper()
	b = newBench(t, change)
	b.server.user = peer
	path = filepath.Join(socketdir.New(t), "s")
	l, err := Listen(path)
	must(t, err)
	t.Cleanup(b.run(l))
	return b, path
}

// recorder is a session that records its events.
type recorder struct {
	session.Session
	*bench
	from game.Source
}

func (r recorder) Do(ctx context.Context, ev game.Event) (game.View, error) {
	r.mu.Lock()
	if r.bench.from[r.from]++; ev != (game.Tick{}) {
		r.given = append(r.given, ev)
	}
	r.mu.Unlock()
	if r.before != nil {
		if err := r.before(ctx); err != nil {
			return game.View{}, err
		}
	}
	return r.Session.Do(ctx, ev)
}

// events returns the events that the game was given since the last call.
func (b *bench) events() []game.Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	given := b.given
	b.given = nil
	return given
}

// hat passes events of the HAT to the game, and returns the view after them, as clients get it.
func (b *bench) hat(events ...game.Event) (v game.View) {
	for _, ev := range append(events, game.Tick{}) {
		v, _ = b.game.As(game.Source{}).Do(context.Background(), ev)
	}
	v.Opening, v.Fresh = 0, false
	return v
}

// dial opens a connection of a user and sends a text.
func (b *bench) dial(user, sends string) net.Conn {
	conn, err := b.net.Dial(context.Background(), "", user)
	must(b.t, err)
	b.t.Cleanup(func() { conn.Close() })
	go func() { _, _ = io.WriteString(conn, sends) }() // a pipe does not buffer
	return conn
}

// client returns a client of a user.
func (b *bench) client(user string) *Client {
	return Connect("here", func(ctx context.Context, _, _ string) (net.Conn, error) { return b.net.Dial(ctx, "", user) })
}

// plain returns an ordinary HTTP client.
func (b *bench) plain() *http.Client {
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return b.net.Dial(ctx, "", "plain") }}
	b.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// request makes a request, such as `POST /v1/press {"key":"left"}`, and returns the answer with its text.
func request(t testing.TB, c *http.Client, request string, header ...string) (*http.Response, string) {
	t.Helper()
	part := append(strings.SplitN(request, " ", 3), "")
	r, err := http.NewRequest(part[0], "http://c4hat"+part[1], strings.NewReader(part[2]))
	must(t, err)
	if len(header) == 2 {
		r.Header.Set(header[0], header[1])
	}
	answer, err := c.Do(r)
	must(t, err)
	defer answer.Body.Close()
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		line, _ := bufio.NewReader(answer.Body).ReadString('\n')
		return answer, line
	}
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	return answer, string(text)
}

const (
	askStatus = "GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n"
	askEvents = "GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n"
	askPast   = "GET /v1/matches HTTP/1.1\r\nHost: x\r\n\r\n"
	askLeft   = "POST /v1/press HTTP/1.1\r\nHost: x\r\nContent-Length: 14\r\n\r\n{\"key\":\"left\"}"
)

// answer reads the answer to a request; the status is 0 if there is none. Of a stream, it reads the first line.
func answer(conn net.Conn) (status int, text string) {
	in := bufio.NewReader(conn)
	answer, err := http.ReadResponse(in, nil)
	if err != nil {
		return 0, err.Error()
	}
	if answer.Header.Get("Content-Type") == "text/event-stream" {
		text, _ = bufio.NewReader(answer.Body).ReadString('\n')
		return answer.StatusCode, text
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return answer.StatusCode, err.Error()
	}
	return answer.StatusCode, string(body)
}

// history returns a history of n matches.
func history(n int) func(last int) iter.Seq2[match.Finished, error] {
	m, g, _ := board.ParseMatch(board.Standard, 1, board.FirstRed, 0, []string{"1212121"})
	return func(last int) iter.Seq2[match.Finished, error] {
		return func(yield func(match.Finished, error) bool) {
			for i := range n {
				e := match.Finished{Record: game.Record{ID: fmt.Sprintf("m-%d", i), Match: m, Game: g}}
				if (last == 0 || i >= n-last) && !yield(e, nil) {
					return
				}
			}
		}
	}
}
