package web

import (
	"context"
	"hash/fnv"
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

// Options configure a [Server].
type Options struct {
	// Connect returns a new client of the game's socket. Each connection of a browser gets its
	// own client, so that the game can tell the browsers' presses apart.
	Connect func() *socket.Client

	// Pairings says which browsers may press keys. It is nil if there is no HAT at which a
	// browser could be paired; then all browsers may press keys.
	Pairings *Pairings

	WatchPaired bool          // true if only paired browsers may watch
	Idle        time.Duration // Serve returns after this time without a request; 0: never
	Log         *slog.Logger
}

// Server answers the requests of browsers.
type Server struct {
	Options
	http    httplimit.Server
	host    string // of this machine
	assets  map[string]map[string]route
	feed    *feed
	streams httplimit.Places
	seated  chan struct{}
	asking  chan struct{}

	analysing chan struct{}
	misses    misses

	mu     sync.Mutex
	active int // requests
	rest   *time.Timer
}

// New returns a server that does not listen yet.
func New(o Options) *Server {
	host, _ := os.Hostname()
	s := &Server{
		Options: o, host: host, assets: assets(), feed: &feed{client: o.Connect()},
		streams: httplimit.Places{Most: maxStreams}, seated: make(chan struct{}, maxSeated),
		asking: make(chan struct{}, maxAsking), analysing: make(chan struct{}, 1),
	}
	s.http = httplimit.Server{
		Name: "the page", Log: o.Log, Conns: maxConns, User: userOf, Pace: httplimit.Pace{Limit: paceRate, Burst: paceBurst},
		Patience: patience, AnswerTime: answerTime, Handle: s.handle, Status: status,
		Data: func(c *httplimit.Conn) any { return &browser{Conn: c, address: addressOf(c), game: o.Connect()} },
	}
	return s
}

type browser struct {
	*httplimit.Conn
	address netip.Addr
	game    *socket.Client
	held    *time.Timer // closes the connection to the game when lingers has passed
}

// lingers is how long a browser keeps its connection to the game after a request. The game ignores
// an accidental second click only if it arrives on the same connection as the first.
const lingers = 300 * time.Millisecond

// ask waits until the browser may make a request to the game, because all browsers share maxAsking
// connections to the socket. The caller must call done after the request.
func (s *Server) ask(r *http.Request) (done func(), err error) {
	b := browserOf(r)
	if b.held == nil || !b.held.Stop() {
		select {
		case s.asking <- struct{}{}:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	return func() {
		b.held = time.AfterFunc(lingers, func() {
			b.game.Close()
			<-s.asking
		})
	}, nil
}

func browserOf(r *http.Request) *browser { return httplimit.ConnOf(r).Data.(*browser) }

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

// userOf returns a hash of a connection's address: for package httplimit, each address is a user.
func userOf(conn net.Conn) int {
	h := fnv.New64a()
	_, _ = h.Write(addressOf(conn).AsSlice())
	return int(h.Sum64())
}

// Serve answers requests until the context is done, or until Options.Idle has passed without a
// request. Then it closes the listener. It returns an error if the listener fails earlier.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.Idle > 0 {
		s.mu.Lock()
		s.rest = time.AfterFunc(s.Idle, cancel)
		s.mu.Unlock()
	}
	return s.http.Serve(ctx, l)
}

// begin counts a request as active until end is called. Options.Idle is measured while no request
// is active.
func (s *Server) begin() (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active++
	if s.rest != nil {
		s.rest.Stop()
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.active--; s.active == 0 && s.rest != nil {
			s.rest.Reset(s.Idle)
		}
	}
}
