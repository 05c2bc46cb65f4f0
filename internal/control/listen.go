package control

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
	"syscall"
	"time"
)

const (
	group = "games" // may talk to the daemon
	mode  = 0o660

	// maxPath is what fits into a socket's address, with the zero that ends it.
	maxPath = len(syscall.RawSockaddrUnix{}.Path) - 1
)

// ErrAnotherDaemon says that somebody listens on the socket already.
var ErrAnotherDaemon = errors.New("another c4hat daemon is running")

// Listen opens the socket for its owner and the group games. One that a dead daemon
// has left is replaced; anything else at the path stays. Closing the listener
// removes the socket.
func Listen(path string, log *slog.Logger) (net.Listener, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	if err := clearStale(path); err != nil {
		return nil, err
	}
	// The socket file gets its mode when it is made, less the umask: Linux takes it
	// from the socket (unix_bind_bsd, net/unix/af_unix.c). It is never open to all.
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { restrict(fd, mode) })
	}}
	l, err := config.Listen(context.Background(), "unix", path)
	switch {
	case errors.Is(err, syscall.EADDRINUSE): // since a moment
		return nil, another(path)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such folder for the control socket: make it first", filepath.Dir(path))
	case err != nil:
		return nil, fmt.Errorf("the control socket: %w", err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // it could be another daemon's by then
	s := &socket{Listener: l, path: path}
	if s.file, err = os.Lstat(path); err == nil {
		if err := giveGroup(path); err != nil {
			log.Warn("the control socket is not for group "+group+": only its owner can use it", "path", path, "error", err)
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
		return fmt.Errorf("the control socket's path has %d bytes, want 1 to %d: %s", len(path), maxPath, short(path))
	}
	return nil
}

func another(path string) error {
	return fmt.Errorf("%w: it listens on %s: stop that one first (sudo systemctl stop c4hat)", ErrAnotherDaemon, path)
}

// clearStale removes a socket on which nobody listens any more.
func clearStale(path string) error {
	found, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the control socket: %w", err)
	}
	if found.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s is no socket and is left alone: move it away, or choose another path", path)
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	switch {
	case err == nil:
		_ = conn.Close()
		return another(path)
	case errors.Is(err, syscall.EAGAIN): // a full backlog
		return another(path)
	case !errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("the control socket: %s is there and cannot be tried: %w", path, err)
	}
	// Of two daemons that start at once, one may have replaced it by now: what is
	// taken away must be what was tried.
	aside := path + ".stale-" + strconv.Itoa(os.Getpid())
	if err := os.Rename(path, aside); err != nil {
		return fmt.Errorf("the control socket: %w", err)
	}
	taken, err := os.Lstat(aside)
	if err != nil {
		return fmt.Errorf("the control socket: %w", err)
	}
	if !same(found, taken) {
		_ = os.Link(aside, path) // not over a third one's
		_ = os.Remove(aside)
		return another(path)
	}
	return os.Remove(aside)
}

// same says whether two looks at a path saw one file. A file system may give the
// number of a file that is gone to the next.
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
	// A service that runs in the group may not chown, nor need it.
	if info, err := os.Lstat(path); err == nil && gidOf(info) == id {
		return nil
	}
	return os.Lchown(path, -1, id)
}

// socket is a listener that takes its file along when it is closed.
type socket struct {
	net.Listener
	path string
	file fs.FileInfo
}

// Close ends listening, and removes the file if it is still this listener's.
func (s *socket) Close() error {
	if now, err := os.Lstat(s.path); err == nil && s.file != nil && same(s.file, now) {
		_ = os.Remove(s.path) // the next daemon replaces it
	}
	return s.Listener.Close()
}
