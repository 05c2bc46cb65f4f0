package socket

import (
	"context"
	"net"
	"sync"
)

// Inside is a listener for a server whose clients are in the same program.
type Inside struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

// NewInside returns a listener to which [Inside.Dial] connects.
func NewInside() *Inside { return &Inside{conns: make(chan net.Conn), done: make(chan struct{})} }

// Dial connects to the server. It can be passed to [Connect].
func (l *Inside) Dial(ctx context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.conns <- there:
		return here, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept waits for the next connection.
func (l *Inside) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close makes Accept and Dial return [net.ErrClosed].
func (l *Inside) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr returns an address that no other program can reach.
func (l *Inside) Addr() net.Addr { return &net.UnixAddr{Name: "inside", Net: "unix"} }
