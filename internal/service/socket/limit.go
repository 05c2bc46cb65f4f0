package socket

import (
	"context"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Share is what the users of a server may use.
type Share struct {
	All, Each int        // connections or requests at a time, of all users and of one
	Limit     rate.Limit // requests per second of a user; further ones wait
	Burst     int        // requests of a user that are answered without delay after a pause

	mu    sync.Mutex
	taken int
	users map[string]*visitor
}

type visitor struct {
	taken int
	pace  *rate.Limiter
}

// maxUsers is how many users a Share remembers. A flood of more makes those without a request begin anew.
const maxUsers = 1000

// visitor returns what a user has taken. The caller has the lock.
func (s *Share) visitor(name string) *visitor {
	if s.users == nil {
		s.users = map[string]*visitor{}
	}
	if len(s.users) > maxUsers {
		maps.DeleteFunc(s.users, func(_ string, u *visitor) bool { return u.taken == 0 })
	}
	u := s.users[name]
	if u == nil {
		u = &visitor{pace: rate.NewLimiter(s.Limit, s.Burst)}
		s.users[name] = u
	}
	return u
}

// Take takes a place for a user, until leave is called. The error says that there is none.
func (s *Share) Take(name string) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.visitor(name)
	if s.taken >= s.All || u.taken >= s.Each {
		return nil, Refuse(http.StatusServiceUnavailable, "too many connections are open: close one, or try again")
	}
	s.taken++
	u.taken++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.taken--
		u.taken--
	}, nil
}

// Pace returns what limits the requests per second of a user.
func (s *Share) Pace(name string) *rate.Limiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.visitor(name).pace
}

// Wait waits until a request may be answered. The error says that this would take too long.
func Wait(ctx context.Context, pace *rate.Limiter) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience/2) // see [Server.do]
	defer cancel()
	if pace.Wait(ctx) != nil {
		return Refuse(http.StatusTooManyRequests, "too many requests: at most %.0f a second are answered", float64(pace.Limit()))
	}
	return nil
}

// Connections that are only told that they are too many.
const (
	maxRefused = 64
	ownRefused = 8
)

// Listener accepts connections within a share. Of those that are too many it refuses a few, and closes the others.
type Listener struct {
	net.Listener
	*Share
	User func(net.Conn) string

	accepted uint64
	refused  Share
}

// Accept waits for the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		user := l.User(conn)
		leave, full := l.Take(user)
		if full != nil {
			leave, err = l.refused.Take(user)
		}
		if err == nil {
			l.accepted++
			return &Conn{Conn: conn, User: user, Number: l.accepted, full: full, leave: sync.OnceFunc(leave)}, nil
		}
		_ = conn.Close()
	}
}

// Conn is an accepted connection.
type Conn struct {
	net.Conn
	User   string
	Number uint64 // accepted connections are numbered from 1

	full  error // why it is refused
	leave func()
}

// Close closes the connection.
func (c *Conn) Close() error {
	c.leave()
	return c.Conn.Close()
}

type connection struct{} // context key

// ConnOf returns the connection of a request.
func ConnOf(r *http.Request) *Conn { return r.Context().Value(connection{}).(*Conn) }

// shutdownTime is how long requests under way may take once the server is stopping.
const shutdownTime = 50 * time.Millisecond

// Serve answers requests from the listener until the context is done. Requests under way then have a moment
// to end. If the listener fails earlier, Serve returns its error. The peer has patience to send a request,
// or the next one.
func Serve(ctx context.Context, h http.Handler, patience time.Duration, l *Listener, log *slog.Logger) error {
	s := &http.Server{
		Handler: h, ReadTimeout: patience, WriteTimeout: patience, IdleTimeout: patience,
		MaxHeaderBytes: MaxHead - 4<<10,                                   // net/http adds that much
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelError), // of panics
		BaseContext:    func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connection{}, conn)
		},
	}
	defer s.Close()
	l.refused.All, l.refused.Each = maxRefused, ownRefused
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		last, done := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer done()
		_ = s.Shutdown(last)
		return nil
	}
}
