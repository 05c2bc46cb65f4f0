// Package web serves the page that shows the game in a browser. It does not run the game: it
// passes the browsers' requests to the socket of a game, and the game's events to the
// browsers. By default anyone who can reach the page may watch, but only paired browsers may press
// keys.
//
// The page can be reached from a network. So the package checks where each request comes from, and
// limits everything that a stranger can use up. It trusts no address: a browser shows by a cookie
// that it is paired. doc/browser.md describes the page for users.
package web

import (
	"context"
	"hash/fnv"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/httplimit"
	"github.com/c4hat/c4hat/internal/socket"
)

// Limits. A browser opens up to six connections to load the page, then uses two.
const (
	maxConns   = 256
	ownConns   = 32 // from one address
	maxStreams = 48 // of events, to paired browsers and again to all others
	ownStreams = 8  // to one paired browser, or to the others at one address
	holdTime   = time.Second
	paceRate   = 20 // requests per second from one paired browser, or from one address
	paceBurst  = 80

	// Connections to the socket. It allows each user 16, of which some are left for the user's other
	// programs. There is one more each for the feed and for pairing.
	maxPresses = 3
	maxReads   = 1
	maxSeated  = 3 // streams of browsers that hold a seat; a match has two seats

	maxMatches = 1000

	// patience is how long a browser may take to send a request or to read an event.
	patience = 10 * time.Second

	// answerTime is how long a browser may take to read an answer.
	answerTime = 2 * patience

	// analyseTime limits a request for an analysis, including the waits for others.
	analyseTime = 2 * time.Minute

	// heartbeat is how often a stream says that it is alive, and how long the game may take to answer. The
	// page says that the connection is lost after 4.3 s without a heartbeat.
	heartbeat = 2 * time.Second

	// pressTime is how long a press may be on its way to the game and back. The page waits for 3 s.
	// In the last answerMargin of it, the game does not begin to carry out a press.
	pressTime    = 2500 * time.Millisecond
	answerMargin = 500 * time.Millisecond
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
	http  *httplimit.Server
	host  string // of this machine
	began time.Time

	feed    *feed                      // of all who hold no seat
	closed  *feed                      // of those who may not watch: without the game's events
	feeds   map[*feed]bool             // those in use; guarded by mu
	beats   httplimit.Shared           // the heartbeats of all streams of events
	streams map[bool]*httplimit.Places // by whether the browser is paired
	seated  chan struct{}

	presses, reads httplimit.Queue
	analysts       map[bool]*analyst // by whether the browser is paired

	pairing sync.Mutex // held by the request that the HAT may show
	asked   httplimit.Pace

	mu     sync.Mutex
	secret string // the key in the path given to Invite last
}

// New returns a server that does not listen yet.
func New(o Options) *Server {
	host, _ := os.Hostname()
	s := &Server{
		Options: o, host: host, began: time.Now(), feeds: map[*feed]bool{}, seated: make(chan struct{}, maxSeated),
		presses: httplimit.Queue{Most: maxPresses}, reads: httplimit.Queue{Most: maxReads},
		analysts: map[bool]*analyst{true: newAnalyst(), false: newAnalyst()},
		asked:    httplimit.Pace{Limit: 1.0 / askTime, Burst: askBurst},
		streams:  map[bool]*httplimit.Places{},
		feed:     &feed{client: o.Game}, closed: new(feed),
	}
	for _, paired := range []bool{true, false} {
		s.streams[paired] = &httplimit.Places{Most: maxStreams, Each: ownStreams, Hold: holdTime}
	}
	s.http = &httplimit.Server{
		Name: "the page", Log: o.Log, User: func(conn net.Conn) int { return hash(addressOf(conn).AsSlice()) },
		Conns: &httplimit.Places{Most: maxConns, Each: ownConns, Hold: holdTime},
		Who:   s.identify, Pace: httplimit.Pace{Limit: paceRate, Burst: paceBurst},
		Patience: patience, AnswerTime: answerTime, Idle: o.Idle, Check: s.guard,
		// These are paths of doc/socket.md, and two that the socket does not have: analyse and pair.
		Handlers: map[string]httplimit.Handler{
			"GET /v1/events": s.events, "GET /v1/matches": s.watching(s.matches),
			"POST /v1/analyse": s.watching(s.analyse), "POST /v1/pair": s.pair,
		},
		// The game cannot be reached. The page has a sentence of its own for this status.
		Status: func(*http.Request, error) int { return http.StatusBadGateway },
	}
	entries, _ := fs.ReadDir(Page(), ".")
	for _, e := range entries {
		switch e.Name() {
		case "index.html":
			s.http.Handlers["GET /"] = s.enter(asset(e.Name()))
		case "screen.html":
			s.http.Handlers["GET /screen"] = asset(e.Name())
		default:
			s.http.Handlers["GET /"+e.Name()] = asset(e.Name())
		}
	}
	for _, pattern := range []string{"POST /v1/press", "POST /v1/match", "DELETE /v1/match", "POST /v1/seat", "DELETE /v1/seat"} {
		s.http.Handlers[pattern] = s.playing(s.forward)
	}
	return s
}

// Serve answers requests, as [httplimit.Server.Serve] does.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if path, ok := s.link(""); ok {
		if err := s.Invite(path); err != nil {
			return err
		}
	}
	return s.http.Serve(ctx, l)
}

// browser tells whose a request is.
type browser struct {
	*httplimit.Conn
	paired bool // it has the cookie of a paired browser
	user   int  // a hash of that cookie, or of the address
}

func browserOf(r *http.Request) browser { return httplimit.ConnOf(r).Data.(browser) }

// identify says whose a request is. The connections of paired browsers are not closed in favour of
// others.
func (s *Server) identify(r *http.Request) int {
	c := httplimit.ConnOf(r)
	b := browser{Conn: c, user: c.User}
	if cookie, err := r.Cookie(cookieName); err == nil && s.Pairings.valid(cookie.Value) {
		b.paired, b.user = true, hash([]byte(cookie.Value))
		c.Keep()
	}
	c.Data = b
	return b.user
}

func (s *Server) playing(h httplimit.Handler) httplimit.Handler {
	return func(w http.ResponseWriter, r *http.Request, body []byte) (any, error) {
		if !browserOf(r).paired {
			return nil, httplimit.Refuse(http.StatusUnauthorized, "this browser may not play: pair it first")
		}
		return h(w, r, body)
	}
}

func (s *Server) watching(h httplimit.Handler) httplimit.Handler {
	if s.WatchPaired {
		return s.playing(h)
	}
	return h
}

// addressOf returns the address of a connection's other end. For IPv6 it returns only the /64
// network, because a single machine can use every address in it.
func addressOf(conn net.Conn) netip.Addr {
	from, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	address := from.Addr().Unmap().WithZone("")
	if address.Is6() && !address.IsLoopback() {
		network, _ := address.Prefix(64)
		return network.Addr()
	}
	return address
}

func hash(text []byte) int {
	h := fnv.New64a()
	_, _ = h.Write(text)
	return int(h.Sum64())
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
