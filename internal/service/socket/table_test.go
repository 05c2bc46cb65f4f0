package socket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/socketdir"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/words"
)

// table is a running game with its own clock, which advances with every event.
type table struct {
	mu      sync.Mutex
	state   *game.Game
	now     time.Time
	changed chan struct{} // closed at the next event
	got     []game.Event
	number  uint64
	stuck   atomic.Bool // the game does not answer
	fault   atomic.Bool // the game panics
}

const perEvent = time.Second / 2

func newTable(t testing.TB, c game.Config) *table {
	t.Helper()
	c.Run, c.Forever = "run-1", true
	if c.Points == 0 {
		c.Setup = game.Setup{Rules: board.Standard, Points: 2, First: board.FirstLoser}
	}
	now := time.Unix(1000, 0)
	s, err := game.New(c, now)
	must(t, err)
	return &table{state: s, now: now}
}

func (g *table) do(ctx context.Context, ev game.Event) (game.View, error) {
	return g.doFrom(ctx, ev, game.Source{Kind: game.Client})
}

func (g *table) doFrom(ctx context.Context, ev game.Event, from game.Source) (game.View, error) {
	if g.stuck.Load() {
		<-ctx.Done()
		return game.View{}, ctx.Err()
	}
	if g.fault.Load() {
		panic("the game is at fault")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if ev != (game.Tick{}) {
		g.got = append(g.got, ev)
		g.now = g.now.Add(perEvent)
	}
	effects := g.state.StepFrom(g.now, ev, from)
	if ev != (game.Tick{}) { // a tick changes nothing, because the time stands still
		g.number++
	}
	v := g.locked()
	if g.changed != nil {
		close(g.changed)
		g.changed = nil
	}
	for _, e := range effects {
		if refused, ok := e.(game.Refused); ok {
			return v, refused.Err
		}
	}
	return v, nil
}

// view returns the current view, with its number. Making it changes the game.
func (g *table) view() game.View {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.locked()
}

// locked is view for who has the lock.
func (g *table) locked() game.View {
	v := words.With(g.state.View(g.now))
	v.Number = g.number
	return v
}

// player is a session of a table.
type player struct {
	*table
	from game.Source
}

func (p player) Do(ctx context.Context, ev game.Event) (game.View, error) {
	return p.doFrom(ctx, ev, p.from)
}

func (p player) Take(context.Context, game.Take) (session.Session, error) {
	return nil, errors.ErrUnsupported
}

func (p player) Views(ctx context.Context) iter.Seq2[game.View, error] {
	return func(yield func(game.View, error) bool) {
		if p.from.Kind == game.Holder {
			if v, err := p.Do(ctx, game.Present{}); err != nil {
				yield(v, err)
				return
			}
			defer func() { _, _ = p.Do(context.WithoutCancel(ctx), game.Absent{}) }()
		}
		for first, last := true, uint64(0); ; first = false {
			p.mu.Lock()
			if p.changed == nil {
				p.changed = make(chan struct{})
			}
			v, changed := p.locked(), p.changed
			p.mu.Unlock()
			if first || v.Number != last {
				if last = v.Number; !yield(v, nil) {
					return
				}
			}
			select {
			case <-changed:
			case <-ctx.Done():
				yield(v, ctx.Err())
				return
			}
		}
	}
}

// events returns the events that the game got since the last call.
func (g *table) events() []game.Event {
	g.mu.Lock()
	defer g.mu.Unlock()
	got := g.got
	g.got = nil
	return got
}

// history returns a history of n matches.
func history(t testing.TB, n int) func(last int) iter.Seq2[match.Finished, error] {
	t.Helper()
	m, g, err := board.ParseMatch(board.Standard, 1, board.FirstRed, 0, []string{"1212121"})
	must(t, err)
	return func(last int) iter.Seq2[match.Finished, error] {
		return func(yield func(match.Finished, error) bool) {
			first := 0
			if last > 0 {
				first = max(0, n-last)
			}
			for i := first; i < n; i++ {
				e := match.Finished{Record: game.Record{ID: fmt.Sprintf("m-%d", i), Match: m, Game: g}}
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// options returns the options of a server for the game.
func (g *table) options(t testing.TB) Options {
	return Options{
		Rate:    rate.Inf,
		As:      func(from game.Source) session.Session { return player{g, from} },
		Matches: history(t, 5),
		Setup:   game.Setup{Rules: board.Standard, Points: 2, First: board.FirstLoser},
		Status: func() Machine {
			return Machine{Version: "1.2.3", PID: 42, Uptime: 7, Matrix: true}
		},
		Log: slog.New(slog.DiscardHandler),
	}
}

// serve runs a server until the test ends, and returns its socket's path.
func serve(t testing.TB, o Options) (path string) {
	t.Helper()
	path = filepath.Join(socketdir.New(t), "s")
	l, err := Listen(path, o.Log)
	must(t, err)
	t.Cleanup(run(t, New(o), l))
	return path
}

// served runs a game and its server.
func served(t testing.TB, c game.Config) (g *table, path string) {
	t.Helper()
	g = newTable(t, c)
	return g, serve(t, g.options(t))
}

// over returns an ordinary HTTP client for a socket.
func over(t testing.TB, path string) *http.Client {
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// request makes a request and returns the answer and its body.
func request(t testing.TB, c *http.Client, method, path, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, "http://c4hat"+path, strings.NewReader(body))
	must(t, err)
	if len(header) == 2 {
		r.Header.Set(header[0], header[1])
	}
	answer, err := c.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer, string(text)
}

var must = try.Must
