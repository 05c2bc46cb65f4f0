// Package web serves the page that shows the game in a browser. It is a reverse proxy to the game's socket,
// behind one question: may this browser watch, and may it play? By default anyone who can reach the page may
// watch, but only paired browsers may press keys.
//
// The page can be reached from a network. So the package checks where each request comes from, and
// limits everything that a stranger can use up. It trusts no address: a browser shows by a cookie
// that it is paired. doc/browser.md describes the page for users.
package web

import (
	"bytes"
	"cmp"
	"context"
	"hash/fnv"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/service/socket"
)

// Limits. A browser opens up to six connections to load the page, then uses two. Paired browsers and all others
// have a share of the requests each, so that strangers do not keep them waiting.
const (
	maxConns = 256 // without a request under way, and from one address:
	ownConns = 32

	maxRequests = 96 // under way, streams included, in each share
	ownRequests = 16 // of one paired browser, or of all strangers at one address

	paceRate  = 20 // requests per second from one paired browser, or from one address
	paceBurst = 80

	patience = 10 * time.Second // for a request
)

// Options configure a [Server].
type Options struct {
	Game     *socket.Client // a client of the game's socket
	Pairings *Pairings      // which browsers may press keys
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
	mux    *socket.Mux
	host   string // of this machine
	proxy  *httputil.ReverseProxy
	shares map[bool]*share // by whether the browser is paired
	pace   socket.Pace
	asked  socket.Pace // for pairing

	rest *time.Timer // ends Serve; nil: never

	mu       sync.Mutex
	requests int    // under way
	secret   string // the key in the path given to Invite last
}

// share is what paired browsers may use at a time, or all others.
type share struct {
	requests socket.Places
	long     chan struct{} // holds an element while an analysis is made or the history read
}

// New returns a server that does not listen yet.
func New(o Options) *Server {
	host, _ := os.Hostname()
	s := &Server{
		Options: o, host: host, mux: socket.NewMux(o.Log, http.StatusBadGateway), shares: map[bool]*share{},
		pace:  socket.Pace{Limit: paceRate, Burst: paceBurst},
		asked: socket.Pace{Limit: 1.0 / askTime, Burst: askBurst},
	}
	for _, paired := range []bool{true, false} {
		s.shares[paired] = &share{socket.Places{All: maxRequests, Each: ownRequests}, make(chan struct{}, 1)}
	}
	s.proxy = &httputil.ReverseProxy{
		Transport: o.Game, Rewrite: rewrite, FlushInterval: -1, ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
		ErrorHandler: s.mux.Refuse, // the page has a sentence of its own for 502
	}
	entries, _ := fs.ReadDir(Page(), ".")
	for _, e := range entries {
		s.mux.Answer("GET /"+e.Name(), asset(e.Name()))
	}
	s.mux.Answer("GET /{$}", s.enter(asset("index.html")))
	s.mux.Answer("GET /screen", asset("screen.html"))
	s.mux.Answer("GET /v1/you", s.you)
	s.mux.Answer("GET /v1/events", s.watching(s.forward))
	s.mux.Answer("GET /v1/matches", s.watching(s.matches))
	s.mux.Answer("POST /v1/analyse", s.watching(s.analyse))
	s.mux.Answer("POST /v1/pair", s.pair)
	for _, pattern := range []string{"POST /v1/press", "POST /v1/match", "DELETE /v1/match", "POST /v1/seat", "DELETE /v1/seat"} {
		s.mux.Answer(pattern, s.playing(s.forward))
	}
	return s
}

// Serve answers requests, as [socket.Serve] does.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if path, ok := s.link(""); ok {
		if err := s.Invite(path); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.Idle > 0 {
		s.rest = time.AfterFunc(s.Idle, cancel)
	}
	return socket.Serve(ctx, s, patience, &socket.Listener{Listener: l, All: maxConns, Each: ownConns, User: addressOf}, s.Log)
}

// count counts the requests under way. While there are none, the idle time runs.
func (s *Server) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests += n; s.rest != nil && s.requests > 0 {
		s.rest.Stop()
	} else if s.rest != nil {
		s.rest.Reset(s.Idle)
	}
}

// browser tells whose a request is.
type browser struct {
	user    string // a hash of its cookie, or the address
	address string
	paired  bool // it has the cookie of a paired browser
}

type browserKey struct{} // context key

func browserOf(r *http.Request) browser { return r.Context().Value(browserKey{}).(browser) }

// ServeHTTP answers a request on one of the connections of [Server.Serve].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.count(1)
	defer s.count(-1)
	c := socket.ConnOf(r)
	b := browser{user: c.User, address: c.User}
	if cookie, err := r.Cookie(cookieName); err == nil && s.Pairings.valid(cookie.Value) {
		h := fnv.New64a()
		_, _ = io.WriteString(h, cookie.Value)
		b.paired, b.user = true, strconv.FormatUint(h.Sum64(), 36)
	}
	w, err := socket.Receive(w, r)
	err = cmp.Or(s.guard(w, r), err)
	leave, ok := c.Enter(&s.shares[b.paired].requests, b.user)
	defer leave()
	switch {
	case err != nil:
	case !ok:
		w.Header().Set("Connection", "close")
		err = socket.Refuse(http.StatusServiceUnavailable, "too many pages are open: close one, and reload this one")
	default:
		err = s.pace.Wait(r.Context(), b.user)
	}
	if err != nil {
		s.mux.Refuse(w, r, err)
		return
	}
	s.mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), browserKey{}, b)))
}

func (s *Server) playing(h socket.Handler) socket.Handler {
	return func(w http.ResponseWriter, r *http.Request, body []byte) (any, error) {
		if !browserOf(r).paired {
			return nil, socket.Refuse(http.StatusUnauthorized, "this browser may not play: pair it first")
		}
		return h(w, r, body)
	}
}

func (s *Server) watching(h socket.Handler) socket.Handler {
	if s.WatchPaired {
		return s.playing(h)
	}
	return h
}

// you handles GET /v1/you: it tells the page what the browser may do.
func (s *Server) you(_ http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	paired := browserOf(r).paired
	return api.You{Press: paired, Pair: !paired && s.Joystick, Alone: !s.Joystick, Closed: s.WatchPaired && !paired, Host: s.host, Levels: levels.Names()}, nil
}

// forward passes a request to the game's socket, which checks it, and the answer back to the browser.
func (s *Server) forward(w http.ResponseWriter, r *http.Request, body []byte) (any, error) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.proxy.ServeHTTP(w, r)
	return nil, nil
}

// rewrite makes a browser's request one for the socket. Nothing passes that the socket might take for the
// request of another client: only what a press needs, and for whom it is.
func rewrite(p *httputil.ProxyRequest) {
	p.Out.URL.Scheme, p.Out.URL.Host = "http", "c4hat"
	b, header := browserOf(p.In), http.Header{socket.PersonHeader: {browserOf(p.In).user}}
	for _, name := range []string{socket.TokenHeader, socket.UntilHeader} {
		if value, ok := p.In.Header[name]; ok && b.paired {
			header[name] = value
		}
	}
	p.Out.Header = header
}

// addressOf returns the address of a connection's other end. For IPv6 it returns only the /64
// network, because a single machine can use every address in it.
func addressOf(conn net.Conn) string {
	from, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return ""
	}
	address := from.Addr().Unmap().WithZone("")
	if address.Is6() && !address.IsLoopback() {
		network, _ := address.Prefix(64)
		return network.Addr().String()
	}
	return address.String()
}

// URL returns the page's URL for the address of its listener. If that is every address of this
// machine, the URL has the machine's name under .local instead.
func URL(a net.Addr) string {
	host, port, _ := net.SplitHostPort(a.String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			host = name + ".local"
		}
	}
	return "http://" + net.JoinHostPort(host, port)
}
