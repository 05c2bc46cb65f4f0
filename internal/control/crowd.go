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
	maxHead  = 8 << 10 // of a request's lines before its body

	// Who comes when it is full has so long to say something before it hears why. Of
	// more than so many the oldest is cut off: who is quick has heard by then.
	awayTime = time.Second
	maxAway  = 512

	// A connection that is turned away hears so late: a program that connects again and
	// again must not keep the processor busy.
	awayDelay = 100 * time.Millisecond

	// So long after the last of them what the rush took goes back to the system:
	// nothing else may happen for days that would have the collector look.
	calmTime = 10 * time.Second
)

// crowd is a listener that lets in only so many, and turns the others away with an
// answer that they can read. It never waits for one of them: behind it may be somebody
// for whom there is room.
type crowd struct {
	net.Listener
	user   func(net.Conn) int // whose connection it is
	inside places
	calm   *time.Timer
	wg     sync.WaitGroup
	count  uint32 // let in

	ended chan struct{}

	mu   sync.Mutex
	away []net.Conn // being turned away, the oldest first
}

func newCrowd(l net.Listener, user func(net.Conn) int) *crowd {
	calm := time.AfterFunc(calmTime, debug.FreeOSMemory)
	calm.Stop()
	return &crowd{
		Listener: l, user: user, calm: calm, ended: make(chan struct{}),
		inside: places{most: maxConns, share: maxConns / 2, last: maxConns / 8},
	}
}

// Accept waits for the next one that is let in.
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

// places are a number of them, each taken by a user, who may have no more than a share.
// The last ones are for users with fewer than [fewPlaces].
type places struct {
	most, share, last int

	mu    sync.Mutex
	taken int
	of    map[int]int // a user
}

// fewPlaces are enough to play: a stream of events, and another connection for presses.
const fewPlaces = 2

// take takes a place, if there is one for the user, and gives what leaves it again.
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

// end cuts off those that are being turned away.
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

// turnAway answers one for whom there is no room. Its request is read first.
func turnAway(conn net.Conn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(awayTime)) // a Unix socket has one
	in := bufio.NewReaderSize(conn, 1<<10)
	for read := 0; read < maxHead; {
		line, err := in.ReadSlice('\n')
		read += len(line)
		if errors.Is(err, os.ErrDeadlineExceeded) { // it may be waiting for a word
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
		"Connection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body) // who does not read it has gone
	_ = closeWrite(conn)
}

// closeWrite ends what is said on a connection, and waits a while for the other end to
// close its own: a Unix socket that is closed with bytes unread makes the other end's
// next call fail, before or after it has read the answer.
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

// guest is a connection that was let in.
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

// CloseWrite is what net/http ends a connection with whose request it has not read
// to the end.
func (g *guest) CloseWrite() error { return closeWrite(g.Conn) }
