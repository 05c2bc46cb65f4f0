package control

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/store"
	"golang.org/x/time/rate"
)

// Options are what a server speaks of.
type Options struct {
	// Do hands an event to the running game, waits until it has happened, and gives
	// the view after it, also with the error of a [game.Refused]. Any other error is
	// the context's. Each connection is a source of its own.
	Do func(context.Context, game.Event, game.Source) (game.View, error)

	// Matches gives the matches that are over, the oldest first: the last so many, or all
	// of them with 0.
	Matches func(last int) iter.Seq[store.Entry]

	Setup  game.Setup // of matches, where nothing else is asked for
	Status func() Machine
	Log    *slog.Logger

	// Rate is how many requests of a user are answered in a second; further ones wait.
	// 0 is 100: nobody presses keys that fast.
	Rate rate.Limit
}

// Machine is what the game does not know of where it runs.
type Machine struct {
	Version  string `json:"version"`
	PID      int    `json:"pid"`
	Uptime   int64  `json:"uptime"`   // of the daemon, in seconds
	Matrix   bool   `json:"matrix"`   // there
	Joystick bool   `json:"joystick"` // there

	// Of a HAT that the kernel has no driver for: its bus, and the transfers there that
	// have failed, also those that were repeated with success.
	I2C       string `json:"i2c,omitempty"`
	BusErrors uint64 `json:"bus_errors,omitempty"`
}

// Status is what GET /v1/status answers.
type Status struct {
	State
	Machine Machine `json:"machine"`
}

// Server answers on the socket. It is also a panel of the game: one that shows
// views to whoever watches from afar, and has no keys.
type Server struct {
	Options
	hub     hub
	user    func(net.Conn) int
	streams places
	reading chan struct{} // held by who reads the history
	pace    pace
}

// New gives a server.
func New(o Options) *Server {
	return &Server{
		Options: o, user: peer, reading: make(chan struct{}, 1), pace: pace{limit: cmp.Or(o.Rate, paceRate)},
		streams: places{most: maxStreams, share: maxStreams / 2, last: maxStreams / 8},
	}
}

// Show hands a view to whoever watches. It waits for nobody, and never fails: a
// panel that does ends the game.
func (s *Server) Show(v game.View, _ bool) error {
	if err := s.hub.show(v); err != nil {
		s.Log.Debug("a view cannot be told", "error", err)
	}
	return nil
}

// Next waits for the context: requests come by [Options.Do].
func (s *Server) Next(ctx context.Context) (game.Event, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// farewell is how long requests under way may take when the server ends.
const farewell = 50 * time.Millisecond

// Where a request's context keeps that of Serve, and its connection.
type (
	serving    struct{}
	connection struct{}
)

// serverContext is done when the server ends. A request's own context would end with
// somebody who has only said all there is to say (nc -N and socat shut their side down
// then), and waits for the answer.
func serverContext(r *http.Request) context.Context {
	if ctx, ok := r.Context().Value(serving{}).(context.Context); ok {
		return ctx
	}
	return r.Context()
}

// guestOf is the connection of a request.
func guestOf(r *http.Request) *guest { return r.Context().Value(connection{}).(*guest) }

// Serve answers until the context is done, and closes the listener. The error says
// why it ended before.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	crowd := newCrowd(l, s.user)
	defer crowd.end()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := &http.Server{
		Handler:           http.HandlerFunc(s.handle),
		ReadHeaderTimeout: patience,
		IdleTimeout:       patience,
		MaxHeaderBytes:    maxHead - 4<<10, // to which net/http adds that much
		BaseContext:       func(net.Listener) context.Context { return context.WithValue(ctx, serving{}, ctx) },
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connection{}, c) },
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),

		DisableGeneralOptionsHandler: true, // OPTIONS * is a path like any other
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		last, done := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer done()
		if server.Shutdown(last) != nil {
			_ = server.Close()
		}
	})
	err := server.Serve(crowd)
	if stop() { // the listener has failed
		_ = server.Close()
		return err
	}
	<-ended
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}
