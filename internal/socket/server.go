// Package socket has the server and the client of the service's socket: HTTP with JSON
// bodies over a Unix socket. It does not run the game. The server passes events to the game through
// [Options.Do], and receives every view of the game, as panels do.
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
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/httplimit"
	"github.com/c4hat/c4hat/internal/match"
	"golang.org/x/time/rate"
)

// Options configure a [Server].
type Options struct {
	// Do passes an event to the running game, waits until it has been handled, and returns
	// the view after it, even if the game refuses the event ([game.Refused]). Any other error
	// is the context's. The source says who sent the event: each connection, and each holder of
	// a seat, is a separate source.
	Do func(context.Context, game.Event, game.Source) (game.View, error)

	// Matches returns the given number of last finished matches, or all of them if last is 0,
	// the oldest first. The error is a [match.Damage] for each one that cannot be read.
	Matches func(last int) iter.Seq2[match.Finished, error]

	Setup  game.Setup // the defaults of a match, until [Server.Default]
	Status func() Machine
	Log    *slog.Logger

	// Rate is how many requests per second are answered for each user; further requests wait. 0
	// means 300, which is faster than fifty people press keys.
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

// Server answers requests on the socket. It is also a panel of the game without keys: it sends the
// views that it is shown to the readers of events.
type Server struct {
	Options
	http    *httplimit.Server
	last    uint64 // the number of the view shown last; only Show uses it
	readers httplimit.Readers[*shown]
	streams httplimit.Places
	reading httplimit.Queue // of the requests that read the history
	seats   seats
	setup   atomic.Pointer[game.Setup] // the defaults of a match
}

// Default changes the defaults of later matches.
func (s *Server) Default(setup game.Setup) { s.setup.Store(&setup) }

// New returns a server that does not listen yet.
func New(o Options) *Server {
	s := &Server{Options: o, streams: httplimit.Places{Most: maxStreams, Each: maxStreams / 2}, reading: httplimit.Queue{Most: 1}}
	s.Default(o.Setup)
	s.http = &httplimit.Server{
		Name: "the control socket", Log: o.Log, User: peer, Handlers: map[string]httplimit.Handler{},
		Conns:    &httplimit.Places{Most: maxConns, Each: maxConns / 2},
		Pace:     httplimit.Pace{Limit: cmp.Or(o.Rate, paceRate), Burst: paceBurst},
		Patience: patience, AnswerTime: patience, Last: shutdownTime,
		Status: func(r *http.Request, err error) int {
			o.Log.Warn("the control socket: a request failed", "request", r.Method+" "+r.URL.Path, "error", err)
			return http.StatusInternalServerError
		},
	}
	s.handle("GET /v1/status", s.status)
	s.handle("GET /v1/events", s.events)
	s.handle("POST /v1/press", s.press)
	s.handle("POST /v1/match", s.start)
	s.handle("DELETE /v1/match", s.end)
	s.handle("POST /v1/seat", s.take)
	s.handle("DELETE /v1/seat", s.leave)
	s.handle("POST /v1/admit", s.admit)
	s.handle("POST /v1/show", s.show)
	s.handle("GET /v1/matches", s.matches)
	return s
}

// shutdownTime is how long requests under way may take once the server is stopping.
const shutdownTime = 50 * time.Millisecond

const (
	paceRate  = 300 // see [Options.Rate]
	paceBurst = 300 // requests that are answered without delay after a pause
)

// PersonHeader is the name of the request header with which a program that passes on the requests of
// several people tells them apart, and with which a [Client] stays the same person on another connection.
const (
	PersonHeader = "C4hat-Person"
	maxPerson    = 20
)

// sourceOf returns the source of a request: its connection or, if the program behind it says for
// whom it asks, that person, on whichever connection.
func sourceOf(r *http.Request) game.Source {
	c := httplimit.ConnOf(r)
	id := c.Number
	if person := r.Header.Get(PersonHeader); person != "" && len(person) <= maxPerson {
		h := fnv.New64a()
		fmt.Fprint(h, c.User, person)
		id = h.Sum64() | 1<<63 // never the number of a connection
	}
	return game.Source{Kind: game.Client, ID: id}
}

// Serve answers requests, as [httplimit.Server.Serve] does.
func (s *Server) Serve(ctx context.Context, l net.Listener) error { return s.http.Serve(ctx, l) }

// Limits that the server and the client share.
const (
	maxConns   = 32
	maxHead    = httplimit.MaxHead
	maxBody    = httplimit.MaxBody
	maxAnswer  = 256 << 10 // bytes of an answer or an event; enough for a thousand rounds
	maxHistory = 16 << 20  // bytes of all finished matches, of which the service keeps 4 MiB
	maxLast    = 10000     // finished matches that can be requested by number

	// patience is how long the server or the client waits for the next bytes from the other.
	patience = 5 * time.Second
)
