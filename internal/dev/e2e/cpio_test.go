package e2e

import (
	"strings"
	"testing"
)

// The kernel rejects an archive with a misplaced field, and barely says why.
func TestArchive(t *testing.T) {
	a := newArchive()
	a.add("/bin/x", []byte("hello"))
	a.add("/bin/y", nil)
	const zero = "00000000"
	want := []string{
		// magic, inode, mode, uid, gid, links, mtime, size, device ×2, node's device ×2, name length, checksum
		"070701" + "00000001" + "000041ed" + zero + zero + "00000001" + zero + zero + zero + zero + zero + zero + "00000004" + zero + "dev\x00" + "\x00\x00",
		"070701" + "00000002" + "00002180" + zero + zero + "00000001" + zero + zero + zero + zero + "00000005" + "00000001" + "0000000c" + zero + "dev/console\x00" + "\x00\x00",
		"070701" + "00000003" + "000041ed" + zero + zero + "00000001" + zero + zero + zero + zero + zero + zero + "00000004" + zero + "bin\x00" + "\x00\x00",
		"070701" + "00000004" + "000081ed" + zero + zero + "00000001" + zero + "00000005" + zero + zero + zero + zero + "00000006" + zero + "bin/x\x00" + "hello\x00\x00\x00",
		"070701" + "00000005" + "000081ed" + zero + zero + "00000001" + zero + zero + zero + zero + zero + zero + "00000006" + zero + "bin/y\x00",
		"070701" + "00000006" + zero + zero + zero + "00000001" + zero + zero + zero + zero + zero + zero + "0000000b" + zero + "TRAILER!!!\x00" + "\x00\x00\x00",
	}
	if got := string(a.bytes()); got != strings.Join(want, "") {
		t.Errorf("archive\n%q\nwant\n%q", got, want)
	}
}
