package web

import (
	"context"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/pipes"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/session"
)

var must = try.Must

// table is a running game with a HAT, and the server of its page.
type table struct {
	*gametest.Panel
	t      *testing.T
	game   *session.Local
	folder string // of the pairings
	net    *pipes.Listener
	ended  chan error // the result of the server's Serve
}

// The page's URL, and addresses of browsers.
const (
	pageURL = "http://192.168.1.4:8484"
	phone   = "192.168.1.20"
	tablet  = "192.168.1.21"
	here    = "127.0.0.1" // this machine's, or a proxy's on it
)

func newTable(t *testing.T, change func(*Options)) *table {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	setup := game.Setup{Rules: board.Standard, Points: 1}
	state, err := game.New(game.Config{Setup: setup, Attract: true, Forever: true, Run: "run"}, time.Now())
	must(t, err)
	g := &table{gametest.NewPanel(), t, session.New(state, session.Options{}), t.TempDir(), pipes.New(), make(chan error, 1)}
	log, inside := slog.New(slog.DiscardHandler), pipes.New()
	o := Options{Game: socket.Connect("here", inside.Dial), Folder: g.folder, Joystick: true, Log: log}
	if change != nil {
		change(&o)
	}
	server := socket.New(socket.Options{
		As: g.game.As, Setup: setup, Log: log, Status: func() socket.Machine { return socket.Machine{} },
		Matches: func(int) iter.Seq2[match.Finished, error] { return func(func(match.Finished, error) bool) {} },
	})
	done := make(chan struct{}, 3)
	for _, run := range []func(){
		func() { _ = server.Serve(ctx, inside) },
		func() { _, _ = g.game.Run(ctx, g.Panel) },
		func() { g.ended <- New(o).Serve(ctx, g.net) },
	} {
		go func() { run(); done <- struct{}{} }()
	}
	t.Cleanup(func() {
		cancel()
		for range cap(done) {
			<-done
		}
		time.Sleep(time.Second) // net/http closes connections slowly
	})
	time.Sleep(time.Millisecond)
	return g
}

// start starts a match.
func (g *table) start() {
	g.t.Helper()
	_, err := g.game.As(game.Source{}).Do(g.t.Context(), game.Start{Setup: game.Setup{Rules: board.Standard, Points: 1}})
	must(g.t, err)
}

// dial opens a connection from an address and sends text.
func (g *table) dial(from, text string) net.Conn {
	g.t.Helper()
	conn, err := g.net.Dial(g.t.Context(), "", net.JoinHostPort(from, "4711"))
	must(g.t, err)
	g.t.Cleanup(func() { conn.Close() })
	go func() { _, _ = io.WriteString(conn, text) }()
	return conn
}

// browser returns an HTTP client at an address, with its own cookies and connections.
func (g *table) browser(from string) *http.Client {
	jar, _ := cookiejar.New(nil)
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return g.net.Dial(ctx, "", net.JoinHostPort(from, "4711"))
	}}
	g.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport: transport, Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// paired returns a paired browser at an address.
func (g *table) paired(from string) *http.Client {
	c := g.browser(from)
	cookie, err := pairings(g.folder).issue()
	must(g.t, err)
	at, _ := url.Parse(pageURL)
	c.Jar.SetCookies(at, []*http.Cookie{cookie})
	return c
}

const left = `POST /v1/press {"key":"left"}`

// send makes a request, such as left, as the page does, with some headers changed: "Name: value" sets a
// header, "Name+: value" adds one, and "Name:" leaves it out.
func send(ctx context.Context, c *http.Client, request string, headers ...string) (*http.Response, error) {
	part := append(strings.SplitN(request, " ", 3), "")
	r, err := http.NewRequestWithContext(ctx, part[0], pageURL+part[1], strings.NewReader(part[2]))
	if err != nil {
		return nil, err
	}
	if part[0] != "GET" {
		r.Header.Set("Origin", pageURL)
	}
	if part[2] != "" {
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
	return c.Do(r)
}

// ask makes a request and returns the answer with its text.
func (g *table) ask(c *http.Client, request string, headers ...string) (*http.Response, string) {
	g.t.Helper()
	answer, err := send(g.t.Context(), c, request, headers...)
	must(g.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(g.t, err)
	return answer, string(text)
}

// want checks the status of the answer to a request.
func (g *table) want(status int, c *http.Client, request string, headers ...string) (text string) {
	g.t.Helper()
	answer, text := g.ask(c, request, headers...)
	if answer.StatusCode != status {
		g.t.Errorf("%s: %d, want %d: %.200s", request, answer.StatusCode, status, text)
	}
	return text
}
