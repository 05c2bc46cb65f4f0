package socket

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/service/api"
)

// A client can start a match, play it and read its events, and gets what the game shows.
func TestClient(t *testing.T) {
	g, path := served(t, game.Config{Attract: true})
	ctx := t.Context()
	c := Dial(path)
	defer c.Close()

	status, err := c.Status(ctx)
	if err != nil || status.Machine != (Machine{Version: "1.2.3", PID: 42, Uptime: 7, Matrix: true}) || status.State.Phase != game.Attract {
		t.Errorf("the status is %+v, %v", status, err)
	}
	if _, err := c.Do(ctx, game.End{}); !errors.Is(err, game.ErrNoMatch) {
		t.Errorf("End without a match: %v", err)
	}

	state, err := c.Start(ctx, api.MatchRequest{Board: "8x8", Computer: "blue", Level: 2, Seed: []byte("18446744073709551615"), Points: 1, Connect: 5, First: "loser", Position: "12"})
	must(t, err)
	want := game.Setup{Rules: board.Rules{Columns: 8, Rows: 8, Connect: 5}, Points: 1, First: board.FirstLoser, Computer: board.Yellow, Level: 2, Opening: "12"}
	if got := g.events(); !reflect.DeepEqual(got, []game.Event{game.End{}, game.Start{Setup: want, Seed: 1<<64 - 1}}) {
		t.Errorf("the game was given %+v", got)
	}
	shown := g.view()
	shown.Opening = 0 // not sent
	if v, err := state.Shown(); err != nil || v != shown {
		t.Errorf("started with %+v, %v", v, err)
	}
	_, err = c.Start(ctx, api.MatchRequest{})
	if !errors.Is(err, game.ErrUnderWay) || !strings.HasPrefix(err.Error(), "a match is under way (8x8 connect 5, blue is the computer at level beginner: red 0, blue 0): \"force\":true") {
		t.Errorf("a second match: %v", err)
	}
	if _, err := c.Start(ctx, api.MatchRequest{Force: true, Board: "9x9"}); err == nil || errors.Is(err, game.ErrUnderWay) {
		t.Errorf("a bad match: %v", err)
	}
	if _, err := c.Start(ctx, api.MatchRequest{Force: true}); err != nil {
		t.Error(err)
	}
	g.events()

	watching, stop := context.WithCancel(ctx)
	defer stop()
	seen := 0
	for v, err := range c.Events(watching) {
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			break
		}
		seen++
		if want := g.view(); v != want {
			t.Errorf("event %d: %+v, want %+v", seen, v, want)
		}
		ev := []game.Event{game.Press{Key: game.Left}, game.Column{Col: 6}, game.Undo, game.Pause}[min(seen, 4)-1]
		if seen > 4 {
			stop()
			continue
		}
		v, err := c.Do(ctx, ev)
		if err != nil {
			t.Error(err)
		}
		if got := g.events(); !reflect.DeepEqual(got, []game.Event{ev}) {
			t.Errorf("%+v arrives as %+v", ev, got)
		}
		if v != g.view() {
			t.Errorf("after %+v: %+v", ev, v)
		}
	}
	if seen != 5 {
		t.Errorf("%d events", seen)
	}

	for _, ev := range []game.Event{game.Press{Key: game.Left, Action: game.Held}, game.Press{Key: game.Left, Action: game.Released},
		game.Point{Col: 8}, game.Column{Col: 8}, game.Column{Col: -1}, game.Quit{}, game.Present{}, game.Point{Col: 3}} {
		if v, err := c.Do(ctx, ev); err != nil || v != (game.View{}) {
			t.Errorf("%+v: %v, %v", ev, v, err)
		}
	}
	if got := g.events(); got != nil {
		t.Errorf("the game was given %+v", got)
	}

	for last, want := range map[int][]string{0: {"m-0", "m-1", "m-2", "m-3", "m-4"}, 2: {"m-3", "m-4"}, 99999: {"m-0", "m-1", "m-2", "m-3", "m-4"}} {
		var got []string
		past, err := c.Past(ctx, last)
		must(t, err)
		for _, m := range past.Matches {
			got = append(got, m.ID)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the last %d matches are %v", last, got)
		}
	}
	if v, err := c.Do(ctx, game.End{}); err != nil || v.Phase != game.Menu {
		t.Errorf("End: %v, %v", v.Phase, err)
	}
}

// When the service stops, the events end with an error that says so.
func TestServiceStops(t *testing.T) {
	g := newTable(t, game.Config{})
	path := filepath.Join(socketdir.New(t), "s")
	o := g.options(t)
	l, err := Listen(path, o.Log)
	must(t, err)
	end := run(t, New(o), l)
	n := 0
	for _, err := range Dial(path).Events(t.Context()) {
		if n++; n == 1 {
			must(t, err)
			end()
		} else if !errors.Is(err, ErrLost) {
			t.Errorf("the end is %v", err)
		}
	}
	if n != 2 {
		t.Errorf("%d events", n)
	}
	if _, err := Dial(path).Status(t.Context()); !errors.Is(err, ErrNoDaemon) {
		t.Errorf("afterwards: %v", err)
	}
}

func TestNoDaemon(t *testing.T) {
	dir := socketdir.New(t)
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for _, path := range []string{filepath.Join(dir, "none"), filepath.Join(dir, "no", "ne"), file} {
		c := Dial(path)
		_, err := c.Status(t.Context())
		if !errors.Is(err, ErrNoDaemon) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "http://") {
			t.Errorf("%s: %v", path, err)
		}
		for _, err := range c.Events(t.Context()) {
			if !errors.Is(err, ErrNoDaemon) {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if _, err := Dial(strings.Repeat("x", 200)).Status(t.Context()); err == nil || !strings.Contains(err.Error(), "use 1 to") {
		t.Errorf("a long path: %v", err)
	}
}

// A client waits five seconds for an answer, and closes an idle connection before the server does, which
// would make its next request fail.
func TestClientPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		defer there.Close()
		go func() { _, _ = io.Copy(io.Discard, there) }()
		began := time.Now()
		_, err := Connect("here", func(context.Context, string, string) (net.Conn, error) { return here, nil }).Status(t.Context())
		if took := time.Since(began); !errors.Is(err, ErrLost) || took != 5*time.Second {
			t.Errorf("%v, after %v", err, took)
		}
	})
	watched(t, func(_ *Server, _ *table, l *network) {
		conn := idle{l.dial(), make(chan time.Time, 1)}
		if _, err := Connect("here", func(context.Context, string, string) (net.Conn, error) { return conn, nil }).Status(context.Background()); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
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

// endless is a reader that repeats a text forever.
type endless string

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n+len(e) <= len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// Whatever listens on the socket, the client's error is one line, and the client reads no more
// than the longest possible answer.
func TestRogueService(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n\r\n"
	for _, tt := range []struct {
		name, head string
		rest       string
		endless    bool
	}{
		{"an endless line", ok + "data: ", "xxxxxx", true},
		{"an endless match", ok + `{"matches":[{"id":"`, "xxxxxx", true},
		{"an endless head", "HTTP/1.1 200 OK\r\nA: ", "xxxxxx", true},
		{"an endless refusal", "HTTP/1.1 400 Bad Request\r\n\r\n", "xxxxxx", true},
		{"no HTTP", "hello\r\n\r\n", "", false},
		{"nothing", "", "", false},
		{"no JSON", ok, "data: <html>\n\n", false},
		{"another document", ok, "data: {}\n\n", false},
		{"a rude reason", "HTTP/1.1 400 Bad Request\r\n\r\n", `{"error":"\u001b[2J\nyou"}`, false},
		{"elsewhere", "HTTP/1.1 302 Found\r\nLocation: http://example.org/\r\nContent-Length: 0\r\n\r\n", "", false},
		{"cut off", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(socketdir.New(t), "s")
			l, err := net.Listen("unix", path)
			must(t, err)
			defer l.Close()
			go func() {
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					go func() {
						defer conn.Close()
						_, _ = conn.Read(make([]byte, 4096))
						_, _ = io.WriteString(conn, tt.head)
						if tt.endless {
							_, _ = io.Copy(conn, endless(tt.rest))
						}
						_, _ = io.WriteString(conn, tt.rest)
					}()
				}
			}()
			c := Dial(path)
			defer c.Close()
			errs := map[string]error{}
			_, errs["status"] = c.Status(t.Context())
			_, errs["press"] = c.Do(t.Context(), game.Undo)
			for _, errs["events"] = range c.Events(t.Context()) {
			}
			_, errs["matches"] = c.Past(t.Context(), 0)
			for what, err := range errs {
				if err == nil || strings.ContainsAny(err.Error(), "\n\x1b") || len(err.Error()) > 800 {
					t.Errorf("%s: %q", what, err)
				}
			}
			if what, ok := map[string]string{"an endless line": "events", "an endless match": "matches"}[tt.name]; ok {
				if err := errs[what]; err == nil || !strings.HasPrefix(err.Error(), "unexpected answer") {
					t.Errorf("%s: %q, want an unexpected answer: the service has not gone", what, err)
				}
			}
		})
	}
}

// A match with very many rounds can be sent and read.
func TestLongMatch(t *testing.T) {
	rules := board.Rules{Columns: 3, Rows: 2, Connect: 3}
	m, err := board.NewMatch(rules, 2, board.FirstAlternate, 0)
	must(t, err)
	for range 1000 {
		g := m.NewGame()
		for _, col := range []int{0, 1, 2, 0, 1, 2} { // a draw
			must(t, g.Play(col))
		}
		if m, err = m.Record(g); err != nil {
			t.Fatal(err)
		}
	}
	v := game.View{Phase: game.Aim, Record: game.Record{ID: "x", Match: m, Game: m.NewGame()}}
	e := New(Options{}).encode(v)
	if len(e) > maxAnswer {
		t.Errorf("an event of %d bytes", len(e))
	}
}

// For a state from another version, the error says to restart the service.
func TestStateOfAnotherVersion(t *testing.T) {
	_, err := Dial("/run/x.sock").View(api.State{View: game.View{Phase: game.Aim}})
	if err == nil || !strings.HasPrefix(err.Error(), "unexpected answer from /run/x.sock (") {
		t.Error(err)
	}
}

// A stream of events has no maximum length: only the length of each event is limited.
func TestLongStream(t *testing.T) {
	const events = 10
	doc := `"` + strings.Repeat("x", maxAnswer/2) + `"`
	c := Dial("/run/x.sock")
	c.http.Transport = answers{http.StatusOK, []byte(strings.Repeat("data: "+doc+"\n\n", events))}
	n := 0
	for got, err := range c.stream(t.Context(), http.MethodGet, "/v1/events") {
		if n == events {
			if err == nil || !strings.Contains(err.Error(), "closed the connection") {
				t.Errorf("at the end: %v", err)
			}
			return
		}
		if err != nil || string(got) != doc {
			t.Fatalf("after %d events: %d bytes, %v", n, len(got), err)
		}
		n++
	}
	t.Error("it ends without an error")
}

// A damaged match keeps its number.
func TestPastInOrder(t *testing.T) {
	one := func(id string) match.Finished { return match.Finished{Record: match.Record{ID: id}} }
	p := Past{Matches: []match.Finished{one("a"), one("b")}, Damaged: []int{1, 3, 4, 20}}
	var got []string
	for m, err := range p.All {
		if bad := (match.Damage{}); errors.As(err, &bad) {
			m.ID = fmt.Sprint(bad.Number)
		}
		got = append(got, m.ID)
	}
	if want := []string{"1", "a", "3", "4", "b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
