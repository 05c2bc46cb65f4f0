// Package socketdir creates folders for sockets in tests.
package socketdir

import (
	"os"
	"testing"
)

// longest leaves room for the names of sockets: an address has at most 107 bytes on Linux and
// 103 elsewhere.
const longest = 50

// Parent returns the system's folder for temporary files, or /tmp if its path is long.
func Parent() string {
	if parent := os.TempDir(); len(parent) <= longest {
		return parent
	}
	return "/tmp"
}

// New creates a folder with a short path, whatever the test's name, and removes it after the
// test.
func New(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(Parent(), "c4")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
