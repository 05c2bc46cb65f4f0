// Package socketdir gives tests folders for sockets.
package socketdir

import (
	"os"
	"testing"
)

// longest leaves room for the names of sockets: an address has at most 107 bytes on Linux,
// and 103 elsewhere.
const longest = 50

// Parent is a folder for temporary ones: the usual one, unless its path is long.
func Parent() string {
	if parent := os.TempDir(); len(parent) <= longest {
		return parent
	}
	return "/tmp"
}

// New is a folder whose path is short, wherever a machine has its temporary files and
// whatever the test is called, and which goes with the test.
func New(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(Parent(), "c4")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
