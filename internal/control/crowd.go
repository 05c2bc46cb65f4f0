package control

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
	"sync"
	"time"
)

const (
	maxConns = 32
	maxHead  = 8 << 10 // of a request's lines before its body

	// Who comes when it is full gets so long to say something and to hear why, and
	// so many at a time.
	awayTime = time.Second
	maxAway  = 64

	// So long after the last of them what the rush took goes back to the system:
	// nothing else may happen for days that would have the collector look.
	calmTime = 10 * time.Second
)

// crowd is a listener that lets in only so many, and turns the others away with an
// answer that they can read.
type crowd struct {
	net.Listener
	inside chan struct{}
	away   chan struct{}
	calm   *time.Timer
	wg     sync.WaitGroup
}

func newCrowd(l net.Listener) *crowd {
	calm := time.AfterFunc(calmTime, debug.FreeOSMemory)
	calm.Stop()
	return &crowd{Listener: l, inside: make(chan struct{}, maxConns), away: make(chan struct{}, maxAway), calm: calm}
}

// Accept waits for the next one that is let in.
func (c *crowd) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case c.inside <- struct{}{}:
			return &guest{Conn: conn, leave: sync.OnceFunc(func() { <-c.inside })}, nil
		default:
		}
		c.away <- struct{}{}
		c.wg.Go(func() {
			defer func() { <-c.away }()
			turnAway(conn)
			c.calm.Reset(calmTime)
		})
	}
}

// wait lets those that are being turned away hear it.
func (c *crowd) wait() {
	c.wg.Wait()
	c.calm.Stop()
}

// turnAway answers one for whom there is no room. Its request is read first, and
// whatever else it sends until it closes: a Unix socket that is closed with bytes
// unread makes the other end's next call fail, before or after it has read the
// answer.
func turnAway(conn net.Conn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(awayTime)) // a Unix socket has one
	in := bufio.NewReader(conn)
	for read := 0; read < maxHead; {
		line, err := in.ReadSlice('\n')
		read += len(line)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			_ = conn.SetDeadline(time.Now().Add(awayTime)) // it may be waiting for a word
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
		if len(line) <= 2 && err == nil { // the empty line after the head
			break
		}
	}
	body := fmt.Sprintf(`{"error":"%d connections are open already: close one, or try again"}`+"\n", maxConns)
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"+
		"Connection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body) // who does not read it has gone
	if half, ok := conn.(closeWriter); ok {
		_ = half.CloseWrite()
		_, _ = io.Copy(io.Discard, io.LimitReader(conn, maxAnswer))
	}
}

type closeWriter interface{ CloseWrite() error }

// guest is a connection that was let in.
type guest struct {
	net.Conn
	leave func()
}

func (g *guest) Close() error {
	defer g.leave()
	return g.Conn.Close()
}

// CloseWrite is what net/http ends a connection with whose request it has not read
// to the end.
func (g *guest) CloseWrite() error {
	if half, ok := g.Conn.(closeWriter); ok {
		return half.CloseWrite()
	}
	return nil
}
