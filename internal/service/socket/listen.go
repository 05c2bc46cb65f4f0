package socket

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
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

// Listen opens a socket that only its owner may use, for a service that systemd has not started. It replaces the
// socket of a service that was killed, but no other file. Closing the listener removes the socket.
func Listen(path string) (net.Listener, error) {
	conn, err := net.Dial("unix", path)
	if err == nil {
		_ = conn.Close()
		return nil, fmt.Errorf("%w: it listens on %s: stop it first (sudo systemctl stop c4hat)", ErrAnotherDaemon, path)
	}
	if info, _ := os.Lstat(path); info != nil && info.Mode().Type() == fs.ModeSocket && errors.Is(err, syscall.ECONNREFUSED) {
		_ = os.Remove(path) // if this fails, net.Listen says so
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("the control socket: %w", err)
	}
	return l, os.Chmod(path, 0o600)
}
