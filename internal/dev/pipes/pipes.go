// Package pipes has a network in memory, for tests with a fake clock.
package pipes

import (
	"context"
	"net"
	"sync"
)

// Listener accepts the connections of [Listener.Dial].
type Listener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

// New returns a listener.
func New() *Listener { return &Listener{conns: make(chan net.Conn), done: make(chan struct{})} }

// Dial connects. At the other end, the connection comes from the address from. It can be the DialContext of an
// [net/http.Transport].
func (l *Listener) Dial(ctx context.Context, _, from string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.conns <- conn{there, from}:
		return here, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept waits for the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close makes Accept and Dial return [net.ErrClosed].
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr returns the listener's own address.
func (l *Listener) Addr() net.Addr { return address("here") }

type conn struct {
	net.Conn
	from string
}

func (c conn) RemoteAddr() net.Addr { return address(c.from) }

type address string

func (a address) Network() string { return "pipe" }
func (a address) String() string  { return string(a) }
