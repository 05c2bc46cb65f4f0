package httplimit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

const (
	maxUnread = 256 << 10 // bytes that are read from a connection while it is being closed

	// patience is how long a peer may take to read an answer.
	patience = 5 * time.Second

	// A rejected connection has this long to send a request before it is answered. If more than
	// maxRejected of them are waiting, the oldest is closed.
	rejectTime  = time.Second
	maxRejected = 512

	// A rejected connection is answered after this delay, so that a program that keeps
	// reconnecting does not keep the processor busy.
	rejectDelay = 100 * time.Millisecond

	// Memory is returned to the system this long after the last rejection. Without this, the
	// garbage collector might not run for days after a rush of connections.
	freeDelay = 10 * time.Second
)

// listener accepts a limited number of connections and answers the others with 503. It never
// waits for a rejected connection, because the next one may be acceptable.
type listener struct {
	net.Listener
	user   func(net.Conn) int // returns the owner of a connection
	inside Places
	free   *time.Timer
	wg     sync.WaitGroup
	count  uint32 // accepted so far

	ended chan struct{}

	mu       sync.Mutex
	rejected []net.Conn // being rejected, the oldest first
}

// limit returns a listener that has at most the given number of connections open at a time. user
// returns the owner of a connection.
func limit(l net.Listener, most int, user func(net.Conn) int) *listener {
	free := time.AfterFunc(freeDelay, debug.FreeOSMemory)
	free.Stop()
	return &listener{
		Listener: l, user: user, free: free, ended: make(chan struct{}),
		inside: Places{Most: most},
	}
}

// Accept waits for the next connection within the limits.
func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		user := l.user(conn)
		if leave, ok := l.inside.Take(user); ok {
			l.count++
			return &Conn{Conn: conn, leave: leave, User: user, Number: l.count}, nil
		}
		l.mu.Lock()
		if len(l.rejected) == maxRejected {
			_ = l.rejected[0].Close()
			l.rejected = slices.Delete(l.rejected, 0, 1)
		}
		l.rejected = append(l.rejected, conn)
		l.mu.Unlock()
		l.wg.Go(func() {
			select {
			case <-time.After(rejectDelay):
			case <-l.ended:
			}
			l.reject(conn)
			l.mu.Lock()
			l.rejected = slices.DeleteFunc(l.rejected, func(other net.Conn) bool { return other == conn })
			l.mu.Unlock()
			l.free.Reset(freeDelay)
		})
	}
}

// end closes the connections that are being rejected.
func (l *listener) end() {
	close(l.ended)
	l.mu.Lock()
	for _, conn := range l.rejected {
		_ = conn.Close()
	}
	l.mu.Unlock()
	l.wg.Wait()
	l.free.Stop()
}

// reject answers a connection with 503. It reads the request first: clients ignore an answer
// that arrives before they have sent a request.
func (l *listener) reject(conn net.Conn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(rejectTime)) // every connection here supports deadlines
	in := bufio.NewReaderSize(conn, 1<<10)
	for read := 0; read < MaxHead; {
		line, err := in.ReadSlice('\n')
		read += len(line)
		if errors.Is(err, os.ErrDeadlineExceeded) { // the peer has sent no request yet
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
		if len(line) <= 2 && err == nil { // the empty line after the head
			break
		}
	}
	_ = conn.SetDeadline(time.Now().Add(patience))
	body := fmt.Sprintf(`{"error":"%d connections are open already, or %d of yours: close one, or try again"}`+"\n", l.inside.Most, l.inside.Share())
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"+
		"Connection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body) // the peer may have closed the connection
	_ = closeWrite(conn)
}

// closeWrite shuts down the sending side, and waits for the peer to do the same, for at most
// patience. If a Unix socket is closed while it has unread bytes, the peer's next call fails,
// perhaps before the peer has read the answer.
func closeWrite(conn net.Conn) error {
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok {
		return nil
	}
	err := half.CloseWrite()
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	_, _ = io.Copy(io.Discard, io.LimitReader(conn, maxUnread))
	return err
}

// Conn is an accepted connection.
type Conn struct {
	net.Conn
	User   int
	Number uint32 // accepted connections are numbered from 1
	Data   any    // see [Server]

	// Serving is the context of Serve. A request's own context also ends when the peer shuts
	// down its sending side, which nc -N and socat do before they have the answer.
	Serving context.Context

	leave func()
}

type connection struct{} // context key

// Context returns the context of the connection's requests.
func (c *Conn) Context(serving context.Context) context.Context {
	c.Serving = serving
	return context.WithValue(serving, connection{}, c)
}

// ConnOf returns the connection of a request.
func ConnOf(r *http.Request) *Conn { return r.Context().Value(connection{}).(*Conn) }

// Close closes the connection and frees its place.
func (c *Conn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// CloseWrite is called by net/http when it closes a connection whose request it has not fully
// read.
func (c *Conn) CloseWrite() error { return closeWrite(c.Conn) }
