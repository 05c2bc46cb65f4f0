// Package httplimit is the common part of the socket's server and the page's server. It reads
// requests, and answers in JSON or with a stream of events. It divides connections, streams and
// requests among users, so that no user can keep the others out.
package httplimit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/quote"
)

// Server answers requests over a limited number of connections.
type Server struct {
	Name string // in the log
	Log  *slog.Logger

	Conns *Places                 // connections; if it has a Hold, they can be evicted
	User  func(net.Conn) int      // returns the owner of a connection
	Who   func(*http.Request) int // returns whose request it is; nil: the connection's owner's
	Pace  Pace                    // of each user's requests

	Patience   time.Duration // how long a peer may take to send a request's head, and then its body
	AnswerTime time.Duration // how long a peer may take to read an answer
	Last       time.Duration // how long requests under way may take once Serve's context is done
	Idle       time.Duration // Serve returns after this time without a request; 0: never

	Handlers map[string]Handler // by method and path, as in "GET /v1/status"

	// Check returns an error for a request that no handler should get. It may be nil, and may set
	// headers.
	Check func(http.ResponseWriter, *http.Request) error

	// Status returns the status for an error that is not a [Refusal].
	Status func(*http.Request, error) int

	requests Shared
	rest     *time.Timer // to the end of Idle; it runs while no request is answered
}

// Handler answers a request. It returns a document to answer with, or nil if it has sent an answer
// itself, or an error.
type Handler func(w http.ResponseWriter, r *http.Request, body []byte) (answer any, err error)

// Serve answers requests until the context is done, then closes the listener. It returns an error
// if the listener fails earlier.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	free := time.AfterFunc(freeDelay, debug.FreeOSMemory)
	free.Stop()
	defer free.Stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.Idle > 0 {
		s.rest = time.AfterFunc(s.Idle, cancel)
	}
	h := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: s.Patience,
		IdleTimeout:       s.Patience,
		MaxHeaderBytes:    MaxHead - 4<<10, // net/http adds that much
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnContext:       func(ctx context.Context, conn net.Conn) context.Context { return conn.(*Conn).Context(ctx) },
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
	err := h.Serve(&listener{Listener: l, server: s, rejected: Places{Most: maxRejected, Each: 1}, free: free})
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

// awake stops the idle timer until end is called.
func (s *Server) awake() (end func()) {
	s.rest.Stop()
	return func() { s.rest.Reset(s.Idle) }
}

// ServeHTTP answers a request on one of the connections of [Server.Serve].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer s.recover(r)
	if s.Idle > 0 {
		defer s.requests.Use(s.awake)()
	}
	answer, err := s.answer(w, r)
	status := http.StatusOK
	if err != nil {
		refused, ok := errors.AsType[*Refusal](err)
		if !ok {
			refused = &Refusal{Status: s.Status(r, err)}
		}
		status, answer = refused.Status, failure{refused.Code, err.Error()}
	}
	if answer != nil {
		s.Answer(w, status, answer)
	}
}

type failure struct {
	Code  string `json:"code,omitempty"`
	Error string `json:"error"`
}

// answer calls the handler of a request, once the user's pace allows the request. It returns what the
// handler returns, or an error if no handler may get the request.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) (any, error) {
	c := ConnOf(r)
	if !c.rejected.IsZero() {
		select {
		case <-time.After(rejectDelay):
		case <-c.Serving.Done():
		}
		w.Header().Set("Connection", "close")
		return nil, Refuse(http.StatusServiceUnavailable, "%d connections are open already, or %d of yours: close one, or try again", s.Conns.Most, s.Conns.Each)
	}
	user := c.User
	if s.Who != nil {
		user = s.Who(r)
	}
	if s.Pace.Of(user).Wait(c.Serving) != nil {
		return nil, Refuse(http.StatusServiceUnavailable, "the service is stopping")
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.AnswerTime)) // every connection here supports deadlines
	body, unread := readBody(w, r, s.Patience)
	if s.Check != nil {
		if err := s.Check(w, r); err != nil {
			return nil, err
		}
	}
	h := s.Handlers[r.Method+" "+r.URL.Path]
	switch {
	case h == nil || r.URL.RawPath != "": // RawPath is set if the path is spelled in an unusual way
		return nil, s.missing(w, r)
	case unread != nil:
		return nil, unread
	}
	return h(w, r, body)
}

func (s *Server) missing(w http.ResponseWriter, r *http.Request) error {
	var allowed []string
	for request := range s.Handlers {
		if method, ok := strings.CutSuffix(request, " "+r.URL.Path); ok && r.URL.RawPath == "" {
			allowed = append(allowed, method)
		}
	}
	if allowed == nil {
		return Refuse(http.StatusNotFound, "there is no %s", quote.Short(r.URL.Path))
	}
	slices.Sort(allowed)
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	return Refuse(http.StatusMethodNotAllowed, "%s takes %s", r.URL.Path, strings.Join(allowed, " or "))
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

func (s *Server) recover(r *http.Request) {
	if v := recover(); v != nil {
		s.Log.Error(s.Name+": internal fault", "request", r.Method+" "+quote.Short(r.URL.Path), "fault", fmt.Sprint(v))
		s.Log.Debug(s.Name+": internal fault", "stack", string(debug.Stack()))
		panic(http.ErrAbortHandler) // net/http closes the connection and prints nothing
	}
}

// Limits of a request, in bytes.
const (
	MaxHead = 8 << 10 // before the body
	MaxBody = 4 << 10
)

// Refusal is an error with the HTTP status to answer with.
type Refusal struct {
	Status int
	Code   string // tells programs why, if the status does not
	Reason string
	Why    error // what errors.Is finds; it may be nil
}

func (r *Refusal) Error() string { return r.Reason }
func (r *Refusal) Unwrap() error { return r.Why }

// Refuse returns a [Refusal].
func Refuse(status int, format string, args ...any) error {
	return &Refusal{Status: status, Reason: fmt.Sprintf(format, args...)}
}

// readBody reads a request's body. If the body is too long or arrives too slowly, the connection
// is closed. It is read even if nobody needs it: only then does net/http notice that the peer has
// closed the connection.
func readBody(w http.ResponseWriter, r *http.Request, patience time.Duration) ([]byte, error) {
	if r.Body == http.NoBody {
		return nil, nil
	}
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(patience)) // every connection here supports deadlines
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if err == nil {
		_ = rc.SetReadDeadline(time.Time{})
		return body, nil
	}
	w.Header().Set("Connection", "close")
	if errors.As(err, new(*http.MaxBytesError)) {
		return nil, Refuse(http.StatusRequestEntityTooLarge, "the body is longer than %d bytes", MaxBody)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, Refuse(http.StatusRequestTimeout, "the body did not arrive within %v", patience)
	}
	return nil, Refuse(http.StatusBadRequest, "cannot read the request body: %v", err)
}

// Shared is something that exists while anybody uses it.
type Shared struct {
	mu    sync.Mutex
	users int
	end   func()
}

// Use calls begin for the first user, and end when the last one has called leave.
func (s *Shared) Use(begin func() (end func())) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users++; s.users == 1 {
		s.end = begin()
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.users--; s.users == 0 {
			s.end()
		}
	}
}
