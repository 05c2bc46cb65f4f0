package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/c4hat/c4hat/internal/quote"
)

// Server answers requests over a limited number of connections.
type Server struct {
	Handler  http.HandlerFunc
	Conns    int                // how many may be open
	User     func(net.Conn) int // whose a connection is
	Patience time.Duration      // how long a peer may take to send a request's head
	Last     time.Duration      // what requests under way may still take at the end
	Log      *slog.Logger

	// Context returns the context of a connection's requests.
	Context func(context.Context, *Conn) context.Context
}

// Serve answers until the context is done, and closes the listener. It returns an error if the
// listener fails before.
func (s Server) Serve(ctx context.Context, l net.Listener) error {
	limited := limit(l, s.Conns, s.User)
	defer limited.end()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h := &http.Server{
		Handler:           s.Handler,
		ReadHeaderTimeout: s.Patience,
		IdleTimeout:       s.Patience,
		MaxHeaderBytes:    MaxHead - 4<<10, // net/http adds that much
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return s.Context(ctx, c.(*Conn)) },
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),

		DisableGeneralOptionsHandler: true, // OPTIONS * is not special here
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		last, done := context.WithTimeout(context.WithoutCancel(ctx), s.Last)
		defer done()
		if h.Shutdown(last) != nil {
			_ = h.Close()
		}
	})
	err := h.Serve(limited)
	if stop() { // the listener has failed
		_ = h.Close()
		return err
	}
	<-ended
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// Recover is deferred by a handler. It logs a panic in a server's request.
func Recover(log *slog.Logger, server string, r *http.Request) {
	if v := recover(); v != nil {
		log.Error(server+": internal fault", "request", r.Method+" "+quote.Short(r.URL.Path), "fault", fmt.Sprint(v))
		log.Debug(server+": internal fault", "stack", string(debug.Stack()))
		panic(http.ErrAbortHandler) // net/http closes the connection and prints nothing
	}
}
