//go:build unix

package socket

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/c4hat/c4hat/internal/dev/socketdir"
)

// A socket that a killed service has left behind is replaced; that of a running one is not. Whatever the umask is,
// only the owner may use the socket, which is gone when it is closed.
func TestStaleSocket(t *testing.T) {
	dir := socketdir.New(t)
	path := filepath.Join(dir, "s")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	must(t, err)
	dead.SetUnlinkOnClose(false)
	dead.Close()
	old := syscall.Umask(0)
	l, err := Listen(path)
	syscall.Umask(old)
	must(t, err)
	if _, err := Listen(path); !errors.Is(err, ErrAnotherDaemon) || !strings.Contains(err.Error(), path) {
		t.Errorf("a second service: %v", err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	must(t, l.Close())
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("%v is left behind, %v", files, err)
	}
}

// Other files are left alone.
func TestListenKeepsOtherFiles(t *testing.T) {
	dir := socketdir.New(t)
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, []byte("mine"), 0o600))
	for path, says := range map[string]string{file: "address already in use", filepath.Join(dir, "none", "s"): "no such file"} {
		if _, err := Listen(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", path, err, says)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "mine" {
		t.Errorf("the file is %q, %v", text, err)
	}
}

// Users who may not connect are told which group to join.
func TestDenied(t *testing.T) {
	path := filepath.Join(socketdir.New(t), "s")
	want := path + ": permission denied: join the socket's group: sudo usermod -aG games $USER, then log in again"
	if err := dialError(path, syscall.EACCES); !errors.Is(err, ErrDenied) || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	if os.Getuid() == 0 {
		return // root may connect to everything
	}
	_, path = outside(t, nil)
	must(t, os.Chmod(path, 0))
	if _, err := Dial(path).Status(t.Context()); !errors.Is(err, ErrDenied) {
		t.Errorf("%v", err)
	}
}
