package control

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

const (
	maxConns = 32
	maxHead  = 8 << 10 // bytes of a request before its body

	// A rejected connection has this long to send a request before it is
	// answered. If more than maxRejected wait, the oldest is closed.
	rejectTime  = time.Second
	maxRejected = 512

	// A rejected connection is answered after this delay: a program that connects again and
	// again must not keep the processor busy.
	rejectDelay = 100 * time.Millisecond

	// This long after the last rejection the memory of a rush is returned to the system:
	// otherwise the garbage collector might not run for days.
	freeDelay = 10 * time.Second
)

// limitedListener is a listener that accepts a limited number of connections and answers the
// others with 503. It never waits for a rejected connection: the next one may be
// acceptable.
type limitedListener struct {
	net.Listener
	user   func(net.Conn) int // owner of a connection
	inside places
	free   *time.Timer
	wg     sync.WaitGroup
	count  uint32 // accepted so far

	ended chan struct{}

	mu       sync.Mutex
	rejected []net.Conn // being rejected, the oldest first
}

func newLimitedListener(l net.Listener, user func(net.Conn) int) *limitedListener {
	free := time.AfterFunc(freeDelay, debug.FreeOSMemory)
	free.Stop()
	return &limitedListener{
		Listener: l, user: user, free: free, ended: make(chan struct{}),
		inside: places{most: maxConns},
	}
}

// Accept waits for the next connection within the limits.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		user := l.user(conn)
		if leave, ok := l.inside.take(user); ok {
			l.count++
			return &userConn{Conn: conn, leave: leave, user: user, source: game.Remote + game.Source(l.count%(1<<31))}, nil
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

// places limits how many things users may have at a time. A user may take no more than
// half. The last eighth is for users with fewer than [fewPlaces].
type places struct {
	most int

	mu    sync.Mutex
	taken int
	of    map[int]int // by user
}

// fewPlaces are enough to play: one connection for events and one for presses.
const fewPlaces = 2

// take takes a place if the user may have one. The returned function frees it.
func (p *places) take(user int) (leave func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	has, free := p.of[user], p.most-p.taken
	if free == 0 || has >= p.share() || free <= p.most/8 && has >= fewPlaces {
		return nil, false
	}
	if p.of == nil {
		p.of = map[int]int{}
	}
	p.add(user, 1)
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.add(user, -1)
	}), true
}

// share is how many places a user may have.
func (p *places) share() int { return p.most / 2 }

func (p *places) add(user, n int) {
	p.taken += n
	if p.of[user] += n; p.of[user] == 0 {
		delete(p.of, user)
	}
}

// end closes the connections that are being rejected.
func (l *limitedListener) end() {
	close(l.ended)
	l.mu.Lock()
	for _, conn := range l.rejected {
		_ = conn.Close()
	}
	l.mu.Unlock()
	l.wg.Wait()
	l.free.Stop()
}

// reject answers a connection with 503. It reads the request first: clients ignore an
// answer to a request that they have not made.
func (l *limitedListener) reject(conn net.Conn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(rejectTime)) // a Unix socket has one
	in := bufio.NewReaderSize(conn, 1<<10)
	for read := 0; read < maxHead; {
		line, err := in.ReadSlice('\n')
		read += len(line)
		if errors.Is(err, os.ErrDeadlineExceeded) { // it may be idle
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
	body := fmt.Sprintf(`{"error":"%d connections are open already, or %d of yours: close one, or try again"}`+"\n", l.inside.most, l.inside.share())
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"+
		"Connection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body) // the peer may have closed the connection
	_ = closeWrite(conn)
}

// closeWrite shuts down the sending side, and waits for a while for the peer to do the
// same: if a Unix socket is closed with bytes unread, the peer's next call fails, perhaps
// before it has read the answer.
func closeWrite(conn net.Conn) error {
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok {
		return nil
	}
	err := half.CloseWrite()
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	_, _ = io.Copy(io.Discard, io.LimitReader(conn, maxAnswer))
	return err
}

// userConn is an accepted connection.
type userConn struct {
	net.Conn
	leave  func()
	user   int
	source game.Source
}

func (c *userConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// CloseWrite is called by net/http when it closes a connection whose request it has not
// read to the end.
func (c *userConn) CloseWrite() error { return closeWrite(c.Conn) }
