package socket

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Places counts what users hold, such as connections: at most All, and Each for one user.
type Places struct {
	All, Each int

	mu    sync.Mutex
	taken int
	of    map[string]int
}

// Take takes a place for a user, until leave is called. It reports whether there was one.
func (p *Places) Take(user string) (leave func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken >= p.All || p.of[user] >= p.Each {
		return func() {}, false
	}
	if p.of == nil {
		p.of = map[string]int{}
	}
	p.taken++
	p.of[user]++
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.taken--
		if p.of[user]--; p.of[user] == 0 {
			delete(p.of, user)
		}
	}), true
}

// Pace limits how many requests per second each user may make.
type Pace struct {
	Limit rate.Limit
	Burst int // requests that are answered without delay after a pause

	mu sync.Mutex
	of map[string]*rate.Limiter
}

// maxUsers is how many users a Pace remembers. A flood of more makes all of them begin anew.
const maxUsers = 1000

// Of returns the limiter of a user's requests.
func (p *Pace) Of(user string) *rate.Limiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil || len(p.of) > maxUsers {
		p.of = map[string]*rate.Limiter{}
	}
	if p.of[user] == nil {
		p.of[user] = rate.NewLimiter(p.Limit, p.Burst)
	}
	return p.of[user]
}

// Wait waits until the user may make a request. The error says that this would take too long.
func (p *Pace) Wait(ctx context.Context, user string) error {
	ctx, cancel := context.WithTimeout(ctx, patience/2)
	defer cancel()
	if p.Of(user).Wait(ctx) != nil {
		return Refuse(http.StatusTooManyRequests, "too many requests: at most %.0f a second are answered", float64(p.Limit))
	}
	return nil
}

// Listener accepts connections, and counts those of each user.
type Listener struct {
	net.Listener
	Places *Places
	User   func(net.Conn) string

	accepted uint64
	extra    []*Conn // those without a place, the oldest first
}

// maxExtra is how many connections without a place are kept.
const maxExtra = 256

// Accept also accepts a connection for which there is no place, because its client should read why it is
// turned away. If there are too many of them, those that have their answer are closed, or else the oldest.
func (l *Listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.accepted++
	c := &Conn{Conn: conn, User: l.User(conn), Number: l.accepted}
	var ok bool
	if c.leave, ok = l.Places.Take(c.User); !ok {
		c.extra.Store(true)
		l.extra = append(l.extra, c)
		if len(l.extra) > maxExtra {
			l.extra = slices.DeleteFunc(l.extra, (*Conn).settled)
		}
		if len(l.extra) > maxExtra {
			_ = l.extra[0].Conn.Close()
			l.extra = slices.Delete(l.extra, 0, 1)
		}
	}
	return c, nil
}

// Conn is an accepted connection.
type Conn struct {
	net.Conn
	User   string
	Number uint64 // accepted connections are numbered from 1

	// Serving is the context of Serve. A request's own context also ends when the peer shuts
	// down its sending side, which nc -N and socat do before they have the answer.
	Serving context.Context

	leave    func()
	extra    atomic.Bool
	answered atomic.Bool // and not open for more
}

// settled reports whether the connection does not wait for an answer that turns it away. If it has had the
// answer, it is closed.
func (c *Conn) settled() bool {
	if c.extra.Load() && c.answered.Load() {
		_ = c.Conn.Close()
	}
	return !c.extra.Load() || c.answered.Load()
}

// Extra reports whether there is no place for the connection.
func (c *Conn) Extra() bool { return c.extra.Load() }

// Welcome says that the connection needs no place of its user.
func (c *Conn) Welcome() {
	c.extra.Store(false)
	c.leave()
}

// Close closes the connection and gives up its place.
func (c *Conn) Close() error {
	c.answered.Store(true)
	c.leave()
	return c.Conn.Close()
}

// CloseWrite is called by net/http when it closes a connection whose request it has not fully read. It waits
// for the peer to close the connection too: otherwise the peer might lose the end of the answer.
func (c *Conn) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return nil
	}
	err := half.CloseWrite()
	c.answered.Store(true)
	_ = c.Conn.SetReadDeadline(time.Now().Add(patience))
	_, _ = io.CopyN(io.Discard, c.Conn, 256<<10)
	return err
}

type connection struct{} // context key

// ConnOf returns the connection of a request.
func ConnOf(r *http.Request) *Conn { return r.Context().Value(connection{}).(*Conn) }

// Serve answers requests from the listener until the context is done. Requests under way then have a moment
// to end. If the listener fails earlier, Serve returns its error.
func Serve(ctx context.Context, h *http.Server, l *Listener, log *slog.Logger) error {
	h.MaxHeaderBytes = MaxHead - 4<<10                             // net/http adds that much
	h.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelError) // of panics
	h.BaseContext = func(net.Listener) context.Context { return ctx }
	h.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		conn.(*Conn).Serving = ctx
		return context.WithValue(ctx, connection{}, conn)
	}
	defer h.Close()
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		last, done := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer done()
		_ = h.Shutdown(last)
		return nil
	}
}

// shutdownTime is how long requests under way may take once the server is stopping.
const shutdownTime = 50 * time.Millisecond
