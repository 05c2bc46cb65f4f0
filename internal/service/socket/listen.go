package socket

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"github.com/coreos/go-systemd/v22/activation"
)

// group is the group whose members may use systemd's socket.
const group = "games"

// ErrAnotherDaemon means that another process is already listening on the socket.
var ErrAnotherDaemon = errors.New("another c4hat service is running")

// Inherited returns the socket that systemd has opened for this process, or nil.
func Inherited() (net.Listener, error) {
	all, err := activation.Listeners()
	switch {
	case err == nil && len(all) == 0:
		return nil, nil
	case err != nil || len(all) > 1 || all[0] == nil:
		return nil, errors.New("cannot use the socket from systemd: keep one ListenStream= in the socket's unit")
	}
	return all[0], nil
}

// Listen opens a socket that only its owner may use, for a service that systemd has not started. If a service
// that was killed has left a socket at the path, Listen replaces it, but it replaces no other file. Closing the
// listener removes the socket.
func Listen(path string) (net.Listener, error) {
	conn, err := net.Dial("unix", path)
	if err == nil {
		_ = conn.Close()
	}
	if err == nil || errors.Is(err, syscall.EAGAIN) { // its queue is full
		return nil, fmt.Errorf("%w: it listens on %s: stop it first (sudo systemctl stop c4hat)", ErrAnotherDaemon, path)
	}
	if info, err := os.Lstat(path); err == nil {
		if info.Mode().Type() != fs.ModeSocket {
			return nil, fmt.Errorf("%s is not a socket and was left alone: move it, or choose another path", path)
		}
		_ = os.Remove(path) // if this fails, net.Listen says so
	}
	l, err := net.Listen("unix", path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: the control socket's folder does not exist: create it first", filepath.Dir(path))
	}
	if err == nil {
		if err = os.Chmod(path, 0o600); err != nil {
			_ = l.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the control socket: %w", err)
	}
	return l, nil
}
