package socket

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// asUser runs f in a thread of another user; only root may do that.
func asUser(t *testing.T, user int, f func()) {
	t.Helper()
	done := make(chan syscall.Errno)
	go func() {
		runtime.LockOSThread() // and never unlock: the thread ends with the goroutine
		_, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, ^uintptr(0), uintptr(user), ^uintptr(0))
		if errno == 0 {
			f()
		}
		done <- errno
	}()
	if errno := <-done; errno != 0 {
		t.Fatal(errno)
	}
}

// The kernel tells users apart: 500 silent connections of one user do not hinder another.
func TestPeer(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be two users")
	}
	const nobody = 65534
	_, path := outside(t, nil)
	for path, mode := range map[string]os.FileMode{path: 0o666, filepath.Dir(path): 0o755} {
		must(t, os.Chmod(path, mode))
	}
	asUser(t, nobody, func() {
		for range 500 {
			conn, err := net.Dial("unix", path)
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { conn.Close() })
		}
	})
	for range 100 {
		c := Dial(path)
		if _, err := c.Status(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
}
