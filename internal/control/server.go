package control

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/store"
)

// Options are what a server speaks of.
type Options struct {
	// Do hands an event to the running game, waits until it has happened, and gives
	// the view after it, also with the error of a [game.Refused]. Any other error is
	// the context's.
	Do func(context.Context, game.Event) (game.View, error)

	Matches iter.Seq[store.Entry] // the history, from its beginning each time
	Setup   game.Setup            // of matches, where nothing else is asked for
	Status  func() Machine
	Log     *slog.Logger
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
	streams chan struct{}
}

// New gives a server.
func New(o Options) *Server {
	return &Server{Options: o, streams: make(chan struct{}, maxStreams)}
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
const farewell = 500 * time.Millisecond

// serving is where a request's context keeps that of Serve.
type serving struct{}

// Serve answers until the context is done, and closes the listener. The error says
// why it ended before.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	crowd := newCrowd(l)
	defer crowd.wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := &http.Server{
		Handler:           http.HandlerFunc(s.handle),
		ReadHeaderTimeout: patience,
		IdleTimeout:       patience,
		MaxHeaderBytes:    maxHead - 4<<10, // to which net/http adds that much
		BaseContext:       func(net.Listener) context.Context { return context.WithValue(ctx, serving{}, ctx) },
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
