package httplimit

import (
	"context"
	"encoding/json"
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
	Name string // in the log
	Log  *slog.Logger

	Conns int                // how many may be open
	User  func(net.Conn) int // returns the owner of a connection
	Data  func(*Conn) any    // returns a connection's Data; may be nil
	Pace  Pace               // of each user's requests

	Patience   time.Duration // how long a peer may take to send a request's head, and then its body
	AnswerTime time.Duration // how long a peer may take to read an answer
	Last       time.Duration // how long requests under way may take once Serve's context is done

	// Handle answers a request, or returns an error to answer with. If the body could not be read,
	// unread says why.
	Handle func(w http.ResponseWriter, r *http.Request, body []byte, unread error) error

	// Status returns the status for an error that is not a [Refusal].
	Status func(*http.Request, error) int
}

// Serve answers requests until the context is done, then closes the listener. It returns an error
// if the listener fails earlier.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	limited := limit(l, s.Conns, s.User)
	defer limited.end()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: s.Patience,
		IdleTimeout:       s.Patience,
		MaxHeaderBytes:    MaxHead - 4<<10, // net/http adds that much
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			c := conn.(*Conn)
			if s.Data != nil {
				c.Data = s.Data(c)
			}
			return c.Context(ctx)
		},
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),

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

// ServeHTTP answers a request on one of the connections of [Server.Serve].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer s.recover(r)
	err := s.Pace.Wait(ConnOf(r).Serving, ConnOf(r).User)
	if err != nil {
		err = Refuse(http.StatusServiceUnavailable, "the service is stopping")
	} else {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.AnswerTime)) // every connection here supports deadlines
		body, unread := readBody(w, r, s.Patience)
		err = s.Handle(w, r, body, unread)
	}
	if err == nil {
		return
	}
	var status int
	if refused := (*Refusal)(nil); errors.As(err, &refused) {
		status = refused.Status
	} else {
		status = s.Status(r, err)
	}
	s.Answer(w, status, map[string]string{"error": err.Error()})
}

// Answer sends a document as JSON.
func (s *Server) Answer(w http.ResponseWriter, status int, doc any) {
	text, err := json.Marshal(doc)
	if err != nil {
		panic(err) // every document here can be encoded
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.AnswerTime))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // the peer may have closed the connection
}

// recover logs a panic in a request.
func (s *Server) recover(r *http.Request) {
	if v := recover(); v != nil {
		s.Log.Error(s.Name+": internal fault", "request", r.Method+" "+quote.Short(r.URL.Path), "fault", fmt.Sprint(v))
		s.Log.Debug(s.Name+": internal fault", "stack", string(debug.Stack()))
		panic(http.ErrAbortHandler) // net/http closes the connection and prints nothing
	}
}
