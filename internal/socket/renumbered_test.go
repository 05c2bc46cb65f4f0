//go:build unix

package socket

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/socketdir"
)

// A file system may reuse an inode number. Another service's socket is not removed even if it has
// the inode number that this service's socket had.
func TestCloseKeepsReusedInode(t *testing.T) {
	path := filepath.Join(socketdir.New(t), "s")
	l, err := Listen(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Second) // the new file is newer
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
