package httplimit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	maxUnread = 256 << 10 // bytes that are read from a connection while it is being closed

	// patience is how long a peer may take to close its side of a connection.
	patience = 5 * time.Second

	// A connection beyond the limits has this long to send a request, which then gets 503. If more
	// than maxRejected of them are open, the oldest is closed.
	rejectTime  = time.Second
	maxRejected = 512

	// The 503 is sent after this delay, so that a program that keeps reconnecting does not keep the
	// processor busy.
	rejectDelay = 100 * time.Millisecond

	// Memory is returned to the system this long after the last rejection. Without this, the
	// garbage collector might not run for days after a rush of connections.
	freeDelay = 10 * time.Second
)

// listener gives each connection a place, if the limits allow, and marks the others as rejected.
type listener struct {
	net.Listener
	server   *Server
	rejected Places
	free     *time.Timer
	count    uint64 // accepted so far
}

func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.count++
	c := &Conn{Conn: conn, User: l.server.User(conn), Number: l.count}
	var evict func()
	if l.server.Conns.Hold > 0 {
		evict = func() { _ = conn.Close() }
	}
	if c.place = l.server.Conns.Take(c.User, evict); c.place == nil {
		c.rejected = time.Now().Add(rejectTime)
		c.place = l.rejected.Take(int(l.count), func() { _ = conn.Close() })
		l.free.Reset(freeDelay)
	}
	return c, nil
}

// Conn is an accepted connection.
type Conn struct {
	net.Conn
	User   int
	Number uint64 // accepted connections are numbered from 1
	Data   any    // for [Server.Who] to say more about the request under way

	// Serving is the context of Serve. A request's own context also ends when the peer shuts
	// down its sending side, which nc -N and socat do before they have the answer.
	Serving context.Context

	place    *Place
	rejected time.Time // if not zero: the connection is beyond the limits, and is read until then
}

type connection struct{} // context key

// Context returns the context of the connection's requests.
func (c *Conn) Context(serving context.Context) context.Context {
	c.Serving = serving
	return context.WithValue(serving, connection{}, c)
}

// ConnOf returns the connection of a request.
func ConnOf(r *http.Request) *Conn { return r.Context().Value(connection{}).(*Conn) }

// Keep makes sure that the connection is not closed in favour of another one.
func (c *Conn) Keep() { c.place.Keep() }

// SetReadDeadline is called by net/http.
func (c *Conn) SetReadDeadline(t time.Time) error {
	if !c.rejected.IsZero() && (t.IsZero() || t.After(c.rejected)) {
		t = c.rejected
	}
	return c.Conn.SetReadDeadline(t)
}

// plain is part of the answers that net/http itself sends, for example to a head that is too long.
var plain = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

// Write turns the text of net/http's own answers into JSON.
func (c *Conn) Write(p []byte) (int, error) {
	if head, reason, ok := bytes.Cut(p[:min(len(p), 1<<10)], plain); ok && len(p) < 1<<10 {
		doc, _ := json.Marshal(map[string]string{"error": string(reason)})
		_, err := fmt.Fprintf(c.Conn, "%s\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n%s\n", head, doc)
		return len(p), err
	}
	return c.Conn.Write(p)
}

// Close closes the connection and frees its place.
func (c *Conn) Close() error {
	defer c.place.Leave()
	return c.Conn.Close()
}

// CloseWrite is called by net/http when it closes a connection whose request it has not fully read.
// It waits for the peer to close the connection too: if a Unix socket is closed while it has unread
// bytes, the peer's next call fails, perhaps before the peer has read the answer.
func (c *Conn) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return nil
	}
	err := half.CloseWrite()
	_ = c.Conn.SetReadDeadline(time.Now().Add(patience))
	_, _ = io.Copy(io.Discard, io.LimitReader(c.Conn, maxUnread))
	return err
}
