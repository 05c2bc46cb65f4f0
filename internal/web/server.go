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

	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/server"
)

// Options connect a server to a game.
type Options struct {
	// Connect returns a new client of the game's socket: each connection of a browser is an
	// input of its own.
	Connect func() *control.Client

	// Pairings says which browsers may press keys. It is nil if all may, because there is no
	// HAT to pair them with.
	Pairings *Pairings

	WatchPaired bool          // only paired browsers may watch
	Idle        time.Duration // Serve returns after this time without a request; 0: never
	Log         *slog.Logger
}

// Server answers the requests of browsers.
type Server struct {
	Options
	http    server.Server
	host    string // of this machine
	assets  map[string]map[string]route
	feed    *feed
	streams server.Places
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
		streams: server.Places{Most: maxStreams}, seated: make(chan struct{}, maxSeated),
		asking: make(chan struct{}, maxAsking), analysing: make(chan struct{}, 1),
	}
	s.http = server.Server{
		Name: "the page", Log: o.Log, Conns: maxConns, User: userOf, Pace: server.Pace{Limit: paceRate, Burst: paceBurst},
		Patience: patience, AnswerTime: answerTime, Handle: s.handle, Status: status,
		Data: func(c *server.Conn) any { return &browser{Conn: c, address: addressOf(c), game: o.Connect()} },
	}
	return s
}

type browser struct {
	*server.Conn
	address netip.Addr
	game    *control.Client
	held    *time.Timer // closes the connection to the game after a while
}

// lingers is how long a browser keeps its connection to the game after a request. An accidental
// second click must come from the same input, or it would drop another disc.
const lingers = 300 * time.Millisecond

// ask waits until the browser may ask the game, because the socket has few connections for all
// browsers.
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

func browserOf(r *http.Request) *browser { return server.ConnOf(r).Data.(*browser) }

// addressOf returns the address of a connection's other end. It returns only the network of an
// IPv6 address: a single machine has all of the network's addresses.
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

// URL returns where browsers find the page, for the address of its listener.
func URL(a net.Addr) string {
	host, port, _ := net.SplitHostPort(a.String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			host = name + ".local"
		}
	}
	return "http://" + net.JoinHostPort(host, port)
}

// userOf returns a number for a connection's address, which is a user for package server.
func userOf(conn net.Conn) int {
	h := fnv.New64a()
	_, _ = h.Write(addressOf(conn).AsSlice())
	return int(h.Sum64())
}

// Serve answers until the context is done, or until there was no request for the idle time, and
// closes the listener. It returns an error if the listener fails earlier.
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

// begin counts a request until the returned function is called. The idle time runs while
// there is no request.
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
