//go:build unix

package control

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/socketdir"
)

// A file system may reuse an inode number: another service's socket is not removed
// although it has the number of this one's.
func TestCloseKeepsReusedInode(t *testing.T) {
	path := filepath.Join(socketdir.New(t), "s")
	l, err := Listen(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Second) // the new file is younger
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("the other's socket: %v", err)
	}
}
