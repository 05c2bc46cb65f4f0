// Package web serves the page that shows the game in a browser. It is a reverse proxy to the game's socket,
// behind one question: may this browser watch, and may it play? By default anyone who can reach the page may
// watch, but only paired browsers may press keys.
//
// The page can be reached from a network. So the package checks where each request comes from, and
// limits everything that a stranger can use up. It trusts no address: a browser shows by a cookie
// that it is paired. doc/browser.md describes the page for users.
package web

import (
	"cmp"
	"context"
	"embed"
	"io/fs"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/computer/analysis"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/service/socket"
)

//go:embed page
var files embed.FS

// Limits. A browser opens up to six connections to load the page, then uses two.
const (
	maxRequests = 96 // under way, streams included, in each share
	ownRequests = 16 // of one paired browser, or of all strangers at one address

	maxConnections = 1024
	ownConnections = 128 // from one address

	paceRate  = 20 // requests per second from one paired browser, or from all strangers at one address
	paceBurst = 80
	shareRate = 240 // requests per second about the game, from each share; the socket answers 500 of them

	patience = 10 * time.Second // for a request
	longTime = 2 * time.Minute  // for an analysis or the history, including the wait for others

	maxMatches   = 1000
	analystTable = 16 << 20 // bytes
)

// Options configure a [Server].
type Options struct {
	Game     *socket.Client // a client of the game's socket
	Folder   string         // where the key of the pairings is, see [Forget]
	Joystick bool           // whether browsers can be paired at a HAT

	// Invite, unless it is nil, gets a path that pairs the first browser that opens it. It is called
	// when the server starts, and again with another path whenever one has been used.
	Invite func(path string) error

	WatchPaired bool          // true if only paired browsers may watch
	Idle        time.Duration // Serve returns after this time without a request; 0: never
	Log         *slog.Logger
}

// Server answers the requests of browsers.
type Server struct {
	Options
	host     string // the name of this machine
	mux      *socket.Mux
	pairings pairings
	misses   socket.Share // requests to be paired that nobody admitted
	secret   atomic.Value // the key in the path that Invite got last, a string

	paired, strangers *share

	busy atomic.Int64 // requests under way
	rest *time.Timer  // ends Serve
}

// share is what all paired browsers together may use, or all strangers: so strangers do not keep paired browsers
// waiting. There is no other fairness.
type share struct {
	requests socket.Share
	all      *rate.Limiter // of requests that go to the game
	long     sync.Mutex    // is held while an analysis is made, or the history read
}

func newShare() *share {
	return &share{
		requests: socket.Share{All: maxRequests, Each: ownRequests, Limit: paceRate, Burst: paceBurst},
		all:      rate.NewLimiter(shareRate, shareRate),
	}
}

// New returns a server that does not listen yet.
func New(o Options) *Server {
	o.Idle = cmp.Or(o.Idle, math.MaxInt64)
	host, _ := os.Hostname()
	s := &Server{
		Options: o, host: host, mux: socket.NewMux(o.Log, http.StatusBadGateway), pairings: pairings(o.Folder),
		misses: socket.Share{Limit: missRate, Burst: maxMisses}, paired: newShare(), strangers: newShare(),
	}
	page, _ := fs.Sub(files, "page")
	s.mux.Handle("GET /", http.FileServerFS(page))
	s.mux.HandleFunc("GET /screen", func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, page, "screen.html") })
	s.mux.Answer("GET /{$}", s.enter)
	s.mux.Answer("GET /v1/you", s.you)
	s.mux.Answer("POST /v1/pair", s.pair)
	s.mux.Answer("GET /v1/matches", s.alone(s.matches))
	s.mux.Answer("POST /v1/analyse", s.alone(s.analyse))
	proxy := &httputil.ReverseProxy{
		Transport: o.Game, Rewrite: rewrite, FlushInterval: -1, ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
		ErrorHandler: s.mux.Refuse, // the page has a sentence of its own for 502
	}
	for _, pattern := range append(api.Plays, "GET /v1/events") {
		s.mux.Handle(pattern, proxy)
	}
	return s
}

// Serve answers requests, as [socket.Serve] does.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if err := s.invite(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.rest = time.AfterFunc(s.Idle, func() {
		if s.busy.Load() == 0 {
			cancel()
		}
	})
	return socket.Serve(ctx, s, patience, &socket.Listener{Listener: l, Share: &socket.Share{All: maxConnections, Each: ownConnections}, User: addressOf}, s.Log)
}

// browser tells whose a request is.
type browser struct {
	*share
	user   string // a number in its cookie, or the address
	paired bool   // it has the cookie of a paired browser
}

type browserKey struct{} // context key

func browserOf(r *http.Request) browser { return r.Context().Value(browserKey{}).(browser) }

// ServeHTTP answers a request on one of the connections of [Server.Serve].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.busy.Add(1)
	defer func() {
		s.busy.Add(-1)
		s.rest.Reset(s.Idle)
	}()
	c := socket.ConnOf(r)
	b := browser{share: s.strangers, user: c.User}
	if cookie, err := r.Cookie(cookieName); err == nil {
		if number, ok := s.pairings.read(cookie.Value); ok {
			b = browser{s.paired, number, true}
		}
	}
	secure(w.Header())
	leave, err := b.requests.Take(b.user)
	if err != nil {
		s.mux.Refuse(w, r, err)
		return
	}
	defer leave()
	r = r.WithContext(context.WithValue(r.Context(), browserKey{}, b))
	s.mux.Serve(w, r, func() error {
		err := socket.Wait(r.Context(), b.requests.Pace(b.user))
		if err == nil {
			err = s.guard(r, b.paired)
		}
		if err == nil && strings.HasPrefix(r.URL.Path, "/v1/") {
			err = socket.Wait(r.Context(), b.all)
		}
		return err
	})
}

// rewrite makes a browser's request one for the socket. Nothing passes that the socket might take for the
// request of another client: only what a press needs, and for whom it is.
func rewrite(p *httputil.ProxyRequest) {
	p.Out.URL.Scheme, p.Out.URL.Host = "http", "c4hat"
	b := browserOf(p.In)
	p.Out.Header = http.Header{socket.PersonHeader: {b.user}}
	for _, name := range []string{socket.TokenHeader, socket.UntilHeader} {
		if value := p.In.Header.Get(name); value != "" && b.paired {
			p.Out.Header.Set(name, value)
		}
	}
}

// you handles GET /v1/you: it tells the page what the browser may do.
func (s *Server) you(_ http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	paired := browserOf(r).paired
	return api.You{
		Press: paired, Pair: !paired && s.Joystick, Alone: !s.Joystick, Closed: s.WatchPaired && !paired, Host: s.host, Levels: match.LevelNames(),
	}, nil
}

// alone returns a handler that answers one request of each share at a time.
func (s *Server) alone(h socket.Handler) socket.Handler {
	return func(w http.ResponseWriter, r *http.Request, body []byte) (any, error) {
		ctx, cancel := context.WithTimeout(r.Context(), longTime)
		defer cancel()
		b := browserOf(r)
		b.long.Lock()
		defer b.long.Unlock()
		answer, err := h(w, r.WithContext(ctx), body)
		if err != nil && ctx.Err() != nil {
			err = socket.Refuse(http.StatusServiceUnavailable, "this takes too long here, or others come first: try again, or in a terminal, which has no limit")
		}
		return answer, err
	}
}

// matches handles GET /v1/matches?last=10. It answers with that many of the last finished matches,
// the oldest first, each with its rounds.
func (s *Server) matches(_ http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	last, err := strconv.Atoi(r.URL.Query().Get("last"))
	if err != nil || last < 1 || last > maxMatches {
		return nil, socket.Refuse(http.StatusBadRequest, "last: use a number from 1 to %d", maxMatches)
	}
	past, err := s.Game.Past(r.Context(), last)
	all := []api.Past{}
	for m, damaged := range past.All {
		if damaged == nil {
			all = append(all, api.NewPast(m))
		}
	}
	return map[string]any{"matches": all}, err
}

// analyse handles POST /v1/analyse: it scores the position before and after each disc of a game.
func (s *Server) analyse(_ http.ResponseWriter, r *http.Request, body []byte) (any, error) {
	g, from, err := api.ReadAnalyse(body)
	if err != nil {
		return nil, err
	}
	return analysis.New(solver.Options{Table: analystTable}).Report(r.Context(), g, from, nil)
}

// addressOf returns the address of a connection's other end. For IPv6 it returns only the /64
// network, because a single machine can use every address in it.
func addressOf(conn net.Conn) string {
	from, _ := netip.ParseAddrPort(conn.RemoteAddr().String())
	address := from.Addr().Unmap().WithZone("")
	network, _ := address.Prefix(min(64, address.BitLen()))
	return network.Addr().String()
}
