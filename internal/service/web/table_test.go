package web

import (
	"context"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/pipes"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/session"
)

// hat is a HAT's panel: it sends keys, and receives views to show.
type hat struct {
	keys  chan game.Event
	shown chan game.View // the latest
}

func (h *hat) Show(v game.View) error {
	select {
	case <-h.shown:
	default:
	}
	h.shown <- v
	return nil
}

func (h *hat) Next(ctx context.Context) (game.Event, error) {
	select {
	case ev := <-h.keys:
		return ev, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// table is a running game and the server of its page.
type table struct {
	*hat
	t        *testing.T
	game     *session.Local
	url      string
	pairings *Pairings
	server   *Server
	remote   *remotes
	ended    chan error // the result of the server's Serve
}

// remotes is a listener in memory, for tests with a fake clock. The test chooses the addresses
// that its connections come from.
type remotes struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
	from  string // the address of the next browsers
}

func (l *remotes) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *remotes) Addr() net.Addr { return &net.TCPAddr{} }

func (l *remotes) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *remotes) dial(from string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.conns <- remote{there, from}:
		return here, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

type remote struct {
	net.Conn
	from string
}

func (c remote) RemoteAddr() net.Addr {
	a, _ := net.ResolveTCPAddr("tcp", net.JoinHostPort(c.from, "4711"))
	return a
}

func newTable(t *testing.T, change func(*Options)) *table {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	g := &table{hat: &hat{make(chan game.Event), make(chan game.View, 1)}, t: t, ended: make(chan error, 1), pairings: &Pairings{t.TempDir()}}
	setup := game.Setup{Rules: board.Standard, Points: 1}
	state, err := game.New(game.Config{Setup: setup, Attract: true, Forever: true, Run: "run"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	g.game = session.New(state, session.Options{})
	server := socket.New(socket.Options{
		As: g.game.As, Setup: setup, Log: log, Status: func() socket.Machine { return socket.Machine{} },
		Matches: func(int) iter.Seq2[match.Finished, error] { return func(func(match.Finished, error) bool) {} },
	})
	inside := pipes.New()
	done := make(chan struct{}, 3)
	go func() { _ = server.Serve(ctx, inside); done <- struct{}{} }()
	go func() {
		_, _ = g.game.Run(ctx, g.hat)
		done <- struct{}{}
	}()
	o := Options{Game: socket.Connect("here", inside.Dial), Pairings: g.pairings, Joystick: true, Log: log}
	if change != nil {
		change(&o)
	}
	g.server = New(o)
	g.url = "http://192.168.1.4:8484"
	g.remote = &remotes{conns: make(chan net.Conn), done: make(chan struct{}), from: "192.168.1.20"}
	go func() { g.ended <- g.server.Serve(ctx, g.remote); done <- struct{}{} }()
	t.Cleanup(func() {
		cancel()
		for range cap(done) {
			<-done
		}
		time.Sleep(time.Second) // net/http closes connections slowly
	})
	return g
}

// start starts a match.
func (g *table) start() {
	g.t.Helper()
	if _, err := g.game.Do(g.t.Context(), game.Start{Setup: game.Setup{Rules: board.Standard, Points: 1}}, game.Source{}); err != nil {
		g.t.Fatal(err)
	}
}

// until waits until the HAT shows a view that ok accepts, and returns the view.
func (g *table) until(what string, ok func(game.View) bool) game.View {
	g.t.Helper()
	timeout := time.After(time.Hour)
	for {
		select {
		case v := <-g.shown:
			if ok(v) {
				return v
			}
		case <-timeout:
			g.t.Fatalf("%s does not come", what)
		}
	}
}

// browser returns an HTTP client with its own cookies and connections.
func (g *table) browser() *http.Client {
	jar, _ := cookiejar.New(nil)
	from := g.remote.from
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return g.remote.dial(from) }}
	g.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport: transport, Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// request makes a request as the page does, with some headers changed: "Name: value" sets a
// header, "Name+: value" adds one, and "Name:" leaves it out.
func (g *table) request(c *http.Client, method, path, body string, headers ...string) (*http.Response, string) {
	g.t.Helper()
	r, err := http.NewRequestWithContext(g.t.Context(), method, g.url+path, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	if method != "GET" {
		r.Header.Set("Origin", g.url)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ":")
		if value = strings.TrimSpace(value); strings.HasSuffix(name, "+") {
			r.Header.Add(strings.TrimSuffix(name, "+"), value)
		} else if name == "Host" {
			r.Host = value
		} else if r.Header.Del(name); value != "" {
			r.Header.Set(name, value)
		}
	}
	answer, err := c.Do(r)
	if err != nil {
		g.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return answer, string(text)
}

// pair pairs a browser at the HAT.
func (g *table) pair(c *http.Client) {
	g.t.Helper()
	paired := make(chan int)
	go func() {
		answer, _ := g.request(c, "POST", "/v1/pair", `{"digit":7}`)
		paired <- answer.StatusCode
	}()
	g.until("the digit", func(v game.View) bool { return v.Phase == game.Admitting })
	time.Sleep(2 * time.Second)
	for _, key := range []game.Key{game.Left, game.Left, game.Left, game.Left, game.Middle} {
		g.keys <- game.Press{Key: key}
	}
	if status := <-paired; status != 200 {
		g.t.Fatalf("pairing: %d", status)
	}
}
