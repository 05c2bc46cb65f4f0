// Package socket has the server and the client of the service's socket: HTTP with JSON
// bodies over a Unix socket. The server plays the game through sessions, as every front does.
//
// doc/socket.md describes the protocol.
package socket

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/session"
	"golang.org/x/time/rate"
)

// Options configure a [Server].
type Options struct {
	// As returns a session of the game whose events have a source: each connection, and each holder of a
	// seat, is a separate source.
	As func(game.Source) session.Session

	// Matches returns the given number of last finished matches, or all of them if last is 0,
	// the oldest first. The error is a [match.Damage] for each one that cannot be read.
	Matches func(last int) iter.Seq2[match.Finished, error]

	// Borrow lends the HAT until the context is done. It is nil if there is none.
	Borrow func(context.Context) (Loan, error)

	Setup  game.Setup // the defaults of a match, until [Server.Default]
	Status func() Machine
	Log    *slog.Logger

	// Rate is how many requests per second are answered for each user; further requests wait. 0
	// means 500, which is faster than eighty people press keys.
	Rate rate.Limit
}

// Machine describes the service and its HAT, which the game does not know.
type Machine struct {
	Version  string `json:"version"`
	PID      int    `json:"pid"`
	Uptime   int64  `json:"uptime"`   // of the service, in seconds
	Matrix   bool   `json:"matrix"`   // present
	Joystick bool   `json:"joystick"` // present

	// Only for a HAT without kernel drivers: its I²C bus, and the number of failed transfers on
	// the bus, including those that succeeded when they were repeated.
	I2C       string `json:"i2c,omitempty"`
	BusErrors uint64 `json:"bus_errors,omitempty"`
}

// Status is the answer to GET /v1/status.
type Status struct {
	api.State
	Machine Machine `json:"machine"`
}

// Server answers requests on the socket.
type Server struct {
	Options
	mux     *Mux
	user    func(net.Conn) string
	began   time.Time
	pace    Pace
	streams Places
	seats   seats
	loan    atomic.Pointer[loan]       // the last one
	setup   atomic.Pointer[game.Setup] // the defaults of a match

	encoding sync.Mutex // guards the view that was encoded last
	number   uint64
	encoded  []byte
}

// Limits of the server. A page that many people use counts as one user.
const (
	maxConns = 512
	ownConns = 256
	paceRate = 500 // see [Options.Rate]
)

// Limits that the server and the client share.
const (
	maxAnswer  = 256 << 10 // bytes of an answer or an event; enough for a thousand rounds
	maxHistory = 16 << 20  // bytes of all finished matches, of which the service keeps 4 MiB
	maxLast    = 10000     // finished matches that can be requested by number

	// patience is how long the server or the client waits for the next bytes from the other.
	patience = 5 * time.Second
)

// Default changes the defaults of later matches.
func (s *Server) Default(setup game.Setup) { s.setup.Store(&setup) }

// New returns a server that does not listen yet.
func New(o Options) *Server {
	s := &Server{
		Options: o, mux: NewMux(o.Log, http.StatusInternalServerError), user: peer, began: time.Now(),
		pace:    Pace{Limit: cmp.Or(o.Rate, paceRate), Burst: paceRate},
		streams: Places{All: maxConns * 3 / 4, Each: ownConns * 3 / 4}, // the others are for short requests
	}
	s.Default(o.Setup)
	s.mux.Answer("GET /v1/status", s.status)
	s.mux.Answer("GET /v1/events", s.events)
	s.mux.Answer("POST /v1/press", s.press)
	s.mux.Answer("POST /v1/match", s.start)
	s.mux.Answer("DELETE /v1/match", s.end)
	s.mux.Answer("POST /v1/seat", s.take)
	s.mux.Answer("DELETE /v1/seat", s.leave)
	s.mux.Answer("POST /v1/admit", s.admit)
	s.mux.Answer("POST /v1/hat", s.lend)
	s.mux.Answer("PUT /v1/hat", s.draw)
	s.mux.Answer("GET /v1/matches", s.matches)
	return s
}

// ServeHTTP answers a request on one of the connections of [Server.Serve].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := ConnOf(r)
	if c.Extra() {
		w.Header().Set("Connection", "close")
		s.mux.Refuse(w, r, Refuse(http.StatusServiceUnavailable, "%d connections are open already, or %d of yours: close one, or try again", maxConns, ownConns))
	} else if err := s.pace.Wait(c.Serving, c.User); err != nil {
		s.mux.Refuse(w, r, err)
	} else {
		s.mux.ServeHTTP(w, r)
	}
}

// Serve answers requests until the context is done, then closes the listener. It returns an error
// if the listener fails earlier.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return Serve(ctx, &http.Server{Handler: s, ReadTimeout: patience, WriteTimeout: patience, IdleTimeout: patience},
		&Listener{Listener: l, Places: &Places{All: maxConns, Each: ownConns}, User: s.user}, s.Log)
}

// PersonHeader is the name of the request header with which a program that passes on the requests of
// several people tells them apart, and with which a [Client] stays the same person on another connection.
const (
	PersonHeader = "C4hat-Person"
	maxPerson    = 20
)

// sourceOf returns the source of a request: its connection or, if the program behind it says for
// whom it asks, that person, on whichever connection.
func sourceOf(r *http.Request) game.Source {
	c := ConnOf(r)
	id := c.Number
	if person := r.Header.Get(PersonHeader); person != "" && len(person) <= maxPerson {
		h := fnv.New64a()
		fmt.Fprint(h, c.User, person)
		id = h.Sum64() | 1<<63 // never the number of a connection
	}
	return game.Source{Kind: game.Client, ID: id}
}
