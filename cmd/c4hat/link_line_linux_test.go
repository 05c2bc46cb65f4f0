package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/socketdir"
)

// line is the network between two machines. It can be slowed, held and cut.
type line struct {
	listener net.Listener

	mu    sync.Mutex
	free  *sync.Cond
	held  bool
	delay time.Duration // of each packet, in each direction
	conns map[net.Conn]bool
	lines int   // connections so far
	bytes int64 // in both directions
	wg    sync.WaitGroup
}

// serve accepts connections until the test ends, and calls carry for each.
func (l *line) serve(t testing.TB, carry func(net.Conn)) {
	l.free, l.conns = sync.NewCond(&l.mu), map[net.Conn]bool{}
	go func() {
		for {
			conn, err := l.listener.Accept()
			if err != nil {
				return
			}
			l.wg.Go(func() {
				l.mu.Lock()
				l.conns[conn] = true
				l.lines++
				l.mu.Unlock()
				carry(conn)
				_ = conn.Close()
				l.mu.Lock()
				delete(l.conns, conn)
				l.mu.Unlock()
			})
		}
	}()
	t.Cleanup(func() {
		_ = l.listener.Close()
		l.release()
		l.cut()
		l.wg.Wait()
	})
}

// relay copies in both directions until both ends are closed.
func (l *line) relay(near net.Conn, in io.WriteCloser, out io.Reader) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.copy(near, out)
		_ = near.Close()
	}()
	l.copy(in, near)
	_ = in.Close()
	<-done
}

// copy passes on packets. Even after the line is cut, what was sent before arrives.
func (l *line) copy(to io.Writer, from io.Reader) {
	type packet struct {
		bytes []byte
		due   time.Time
	}
	packets := make(chan packet, 1<<10)
	go func() {
		defer close(packets)
		for {
			buf := make([]byte, 32<<10)
			n, err := from.Read(buf)
			l.mu.Lock()
			due := time.Now().Add(l.delay)
			l.mu.Unlock()
			packets <- packet{buf[:n], due}
			if err != nil {
				return
			}
		}
	}()
	for p := range packets {
		time.Sleep(time.Until(p.due))
		l.mu.Lock()
		for l.held {
			l.free.Wait()
		}
		l.bytes += int64(len(p.bytes))
		l.mu.Unlock()
		_, _ = to.Write(p.bytes) // after an error the remaining packets are lost
	}
}

// slow delays every packet from now on.
func (l *line) slow(delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delay = delay
}

// hold keeps everything that is sent from now on, until release.
func (l *line) hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = true
}

func (l *line) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = false
	l.free.Broadcast()
}

// cut ends every connection.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.conns {
		_ = conn.Close()
	}
}

func (l *line) count() (lines int, bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines, l.bytes
}

// cable is the line between [sshStandIn] and the command on the other machine.
type cable struct {
	line
	dir string   // the folder of the programs ssh and c4hat
	to  []string // the command on the other machine
}

// newCable returns a cable to the machine whose service has this socket.
func newCable(t testing.TB, socket string) *cable {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{dir: t.TempDir()}
	for _, name := range []string{"ssh", "c4hat"} {
		if err := os.Symlink(exe, filepath.Join(c.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	c.to = []string{filepath.Join(c.dir, "c4hat"), "link", "--answer", "--socket", socket}
	if c.listener, err = net.Listen("unix", filepath.Join(socketdir.New(t), "cable")); err != nil {
		t.Fatal(err)
	}
	c.serve(t, c.carry)
	return c
}

// env returns the environment in which a program uses the cable.
func (c *cable) env() []string {
	return []string{"CABLE=" + c.listener.Addr().String(), "PATH=" + c.dir + ":/usr/bin:/bin"}
}

// leads changes the command that the other machine runs, and returns the previous one.
func (c *cable) leads(to ...string) (before []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, c.to = c.to, to
	return before
}

// carry runs the command for one connection.
func (c *cable) carry(conn net.Conn) {
	for b := []byte{0}; b[0] != '\n'; { // the arguments of ssh
		if _, err := conn.Read(b); err != nil {
			return
		}
	}
	c.mu.Lock()
	cmd := exec.Command(c.to[0], c.to[1:]...)
	c.mu.Unlock()
	cmd.Env = testEnvironment()
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		return
	}
	_, _ = io.WriteString(conn, "Welcome to the other machine.\n") // a login shell may print such a line
	c.relay(conn, in, out)
	_ = cmd.Wait()
}
