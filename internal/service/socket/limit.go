package socket

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Places counts the requests under way: at most All, and Each for one user.
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience/2) // see [Server.do]
	defer cancel()
	if p.Of(user).Wait(ctx) != nil {
		return Refuse(http.StatusTooManyRequests, "too many requests: at most %.0f a second are answered", float64(p.Limit))
	}
	return nil
}

// Listener accepts connections. Of those that have no request under way, at most All stay open, and Each of
// one user: a newcomer takes the place of the one that has waited longest. So nobody keeps others out
// with connections that send nothing, or little at a time.
type Listener struct {
	net.Listener
	All, Each int
	User      func(net.Conn) string

	mu       sync.Mutex
	accepted uint64
	waiting  []*Conn // the longest first
}

// Accept waits for the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.accepted++
	c := &Conn{Conn: conn, User: l.User(conn), Number: l.accepted, listener: l}
	l.wait(c)
	return c, nil
}

func (l *Listener) wait(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, c)
	var own []*Conn
	for _, w := range l.waiting {
		if w.User == c.User {
			own = append(own, w)
		}
	}
	last := l.waiting[0]
	if len(own) > l.Each {
		last = own[0]
	} else if len(l.waiting) <= l.All {
		return
	}
	_ = last.Conn.Close()
	l.waiting = without(l.waiting, last)
}

// forget is the opposite of wait. The connection need not wait.
func (l *Listener) forget(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = without(l.waiting, c)
}

func without(all []*Conn, c *Conn) []*Conn {
	return slices.DeleteFunc(all, func(w *Conn) bool { return w == c })
}

// Conn is an accepted connection.
type Conn struct {
	net.Conn
	User   string
	Number uint64 // accepted connections are numbered from 1

	listener *Listener
}

// Close closes the connection.
func (c *Conn) Close() error {
	c.listener.forget(c)
	return c.Conn.Close()
}

// Enter takes a place for the connection's request, until leave is called. It reports whether there was one.
func (c *Conn) Enter(p *Places, user string) (leave func(), ok bool) {
	out, ok := p.Take(user)
	if !ok {
		return out, false
	}
	c.listener.forget(c)
	return func() {
		out()
		c.listener.wait(c)
	}, true
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
