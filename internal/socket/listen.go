package socket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/internal/quote"
)

const (
	group = "games" // its members may use the socket
	mode  = 0o660

	// maxPath is the length of the longest path that fits, with a final zero, in a socket's
	// address.
	maxPath = len(syscall.RawSockaddrUnix{}.Path) - 1
)

// ErrAnotherDaemon means that another process is already listening on the socket.
var ErrAnotherDaemon = errors.New("another c4hat service is running")

// Listen opens a socket that its owner and the group games may use. If a service that was killed
// has left a socket at the path, Listen replaces it, but it replaces no other file. Closing the
// listener removes the socket.
func Listen(path string, log *slog.Logger) (net.Listener, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	if err := clearStale(path); err != nil {
		return nil, err
	}
	// Linux creates the file with the mode of the socket, less the umask (unix_bind_bsd in
	// net/unix/af_unix.c), so the file is never open to everybody.
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { restrict(fd, mode) })
	}}
	l, err := config.Listen(context.Background(), "unix", path)
	switch {
	case errors.Is(err, syscall.EADDRINUSE): // another process was faster
		return nil, another(path)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: the control socket's folder does not exist: create it first", filepath.Dir(path))
	case err != nil:
		return nil, fmt.Errorf("the control socket: %w", err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // by the time of Close, the file may be another service's
	s := &socket{Listener: l, path: path}
	if s.file, err = os.Lstat(path); err == nil {
		if err := giveGroup(path); err != nil {
			log.Warn("the control socket does not belong to group "+group+": only its owner can use it", "path", path, "error", err)
		}
		err = os.Chmod(path, mode)
	}
	if err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("the control socket: %w", err)
	}
	return s, nil
}

func checkPath(path string) error {
	if path == "" || len(path) > maxPath {
		return fmt.Errorf("the control socket's path has %d bytes; use 1 to %d: %s", len(path), maxPath, quote.Short(path))
	}
	return nil
}

func another(path string) error {
	return fmt.Errorf("%w: it listens on %s: stop it first (sudo systemctl stop c4hat)", ErrAnotherDaemon, path)
}

// clearStale removes a socket on which no process is listening.
func clearStale(path string) error {
	found, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the control socket: %w", err)
	}
	if found.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s is not a socket and was left alone: move it, or choose another path", path)
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	switch {
	case err == nil:
		_ = conn.Close()
		return another(path)
	case errors.Is(err, syscall.EAGAIN): // a full backlog
		return another(path)
	case !errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("the control socket: cannot connect to the existing %s: %w", path, err)
	}
	// If two services start at once, the other may have replaced the socket by now. Remove
	// only the file to which the connection failed.
	aside := path + ".stale-" + strconv.Itoa(os.Getpid())
	if err := os.Rename(path, aside); err != nil {
		return fmt.Errorf("the control socket: %w", err)
	}
	taken, err := os.Lstat(aside)
	if err != nil {
		return fmt.Errorf("the control socket: %w", err)
	}
	if !same(found, taken) {
		_ = os.Link(aside, path) // fails if a third service has made its socket by now
		_ = os.Remove(aside)
		return another(path)
	}
	return os.Remove(aside)
}

// same reports whether two results of Lstat describe the same file. It compares the times too,
// because a file system may reuse the inode number of a removed file.
func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime())
}

func giveGroup(path string) error {
	g, err := user.LookupGroup(group)
	if err != nil {
		return err
	}
	id, err := strconv.Atoi(g.Gid)
	if err != nil {
		return err
	}
	// A service that runs in the group games may not change the group, and does not need to.
	if info, err := os.Lstat(path); err == nil && gidOf(info) == id {
		return nil
	}
	return os.Lchown(path, -1, id)
}

// socket is a listener that removes its file when it is closed.
type socket struct {
	net.Listener
	path string
	file fs.FileInfo
}

// Close stops listening, and removes the file if it is still this listener's.
func (s *socket) Close() error {
	if now, err := os.Lstat(s.path); err == nil && s.file != nil && same(s.file, now) {
		_ = os.Remove(s.path) // if this fails, the next service replaces it
	}
	return s.Listener.Close()
}

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
