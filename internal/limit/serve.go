package limit

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

// Serve answers until the context is done; requests under way may then take a moment. It
// returns an error if the listener fails before.
func Serve(ctx context.Context, s *http.Server, l net.Listener, moment time.Duration) error {
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		last, done := context.WithTimeout(context.WithoutCancel(ctx), moment)
		defer done()
		if s.Shutdown(last) != nil {
			_ = s.Close()
		}
	})
	err := s.Serve(l)
	if stop() { // the listener has failed
		_ = s.Close()
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
