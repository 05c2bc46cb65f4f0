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

	// A connection that is refused has this long to send a request before it is
	// answered. If more than maxAway wait, the oldest is closed.
	awayTime = time.Second
	maxAway  = 512

	// A refused connection is answered after this delay: a program that connects again and
	// again must not keep the processor busy.
	awayDelay = 100 * time.Millisecond

	// This long after the last refusal the memory of a rush is returned to the system:
	// otherwise the garbage collector might not run for days.
	calmTime = 10 * time.Second
)

// crowd is a listener that accepts a limited number of connections and answers the
// others with 503. It never waits for a refused connection: the next one may be
// acceptable.
type crowd struct {
	net.Listener
	user   func(net.Conn) int // owner of a connection
	inside places
	calm   *time.Timer
	wg     sync.WaitGroup
	count  uint32 // accepted so far

	ended chan struct{}

	mu   sync.Mutex
	away []net.Conn // being refused, the oldest first
}

func newCrowd(l net.Listener, user func(net.Conn) int) *crowd {
	calm := time.AfterFunc(calmTime, debug.FreeOSMemory)
	calm.Stop()
	return &crowd{
		Listener: l, user: user, calm: calm, ended: make(chan struct{}),
		inside: places{most: maxConns, share: maxConns / 2, last: maxConns / 8},
	}
}

// Accept waits for the next connection within the limits.
func (c *crowd) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		user := c.user(conn)
		if leave, ok := c.inside.take(user); ok {
			c.count++
			return &guest{Conn: conn, leave: leave, user: user, source: game.Remote + game.Source(c.count%(1<<31))}, nil
		}
		c.mu.Lock()
		if len(c.away) == maxAway {
			_ = c.away[0].Close()
			c.away = slices.Delete(c.away, 0, 1)
		}
		c.away = append(c.away, conn)
		c.mu.Unlock()
		c.wg.Go(func() {
			select {
			case <-time.After(awayDelay):
			case <-c.ended:
			}
			turnAway(conn)
			c.mu.Lock()
			c.away = slices.DeleteFunc(c.away, func(other net.Conn) bool { return other == conn })
			c.mu.Unlock()
			c.calm.Reset(calmTime)
		})
	}
}

// places limits how many things users may have at a time. A user may take no more than
// a share. The last places are for users with fewer than [fewPlaces].
type places struct {
	most, share, last int

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
	if free == 0 || has >= p.share || free <= p.last && has >= fewPlaces {
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

func (p *places) add(user, n int) {
	p.taken += n
	if p.of[user] += n; p.of[user] == 0 {
		delete(p.of, user)
	}
}

// end closes the connections that are being refused.
func (c *crowd) end() {
	close(c.ended)
	c.mu.Lock()
	for _, conn := range c.away {
		_ = conn.Close()
	}
	c.mu.Unlock()
	c.wg.Wait()
	c.calm.Stop()
}

// turnAway answers a connection with 503. It reads the request first: clients take no
// answer to a request that they have not made.
func turnAway(conn net.Conn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(awayTime)) // a Unix socket has one
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
	body := fmt.Sprintf(`{"error":"%d connections are open already, or %d of yours: close one, or try again"}`+"\n", maxConns, maxConns/2)
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

// guest is an accepted connection.
type guest struct {
	net.Conn
	leave  func()
	user   int
	source game.Source
}

func (g *guest) Close() error {
	defer g.leave()
	return g.Conn.Close()
}

// CloseWrite is called by net/http when it closes a connection whose request it has not
// read to the end.
func (g *guest) CloseWrite() error { return closeWrite(g.Conn) }
