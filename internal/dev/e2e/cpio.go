package e2e

import (
	"bytes"
	"fmt"
	"path"
)

// File types and permissions in a cpio header, as in inode(7).
const (
	cpioDir    = 0o040755
	cpioFile   = 0o100755
	cpioDevice = 0o020600
)

// archive builds an initramfs: a cpio archive in the "newc" format, described in the
// kernel's Documentation/driver-api/early-userspace/buffer-format.rst.
type archive struct {
	buf  bytes.Buffer
	dirs map[string]bool
	ino  int
}

// newArchive returns an archive with /dev/console, where the kernel sends init's output.
func newArchive() *archive {
	a := &archive{dirs: map[string]bool{"/": true, ".": true}}
	a.mkdir("/dev")
	a.entry("/dev/console", cpioDevice, nil, 5, 1)
	return a
}

// add stores an executable file and its parent folders.
func (a *archive) add(name string, body []byte) {
	a.mkdir(path.Dir(name))
	a.entry(name, cpioFile, body, 0, 0)
}

// bytes ends the archive.
func (a *archive) bytes() []byte {
	a.entry("TRAILER!!!", 0, nil, 0, 0)
	return a.buf.Bytes()
}

func (a *archive) mkdir(name string) {
	if a.dirs[name] {
		return
	}
	a.dirs[name] = true
	a.mkdir(path.Dir(name))
	a.entry(name, cpioDir, nil, 0, 0)
}

func (a *archive) entry(name string, mode int, body []byte, major, minor int) {
	if name[0] == '/' {
		name = name[1:]
	}
	a.ino++
	fmt.Fprint(&a.buf, "070701")
	for _, field := range []int{a.ino, mode, 0, 0, 1, 0, len(body), 0, 0, major, minor, len(name) + 1, 0} {
		fmt.Fprintf(&a.buf, "%08x", field)
	}
	a.buf.WriteString(name + "\x00")
	a.pad()
	a.buf.Write(body)
	a.pad()
}

// pad pads to a multiple of four bytes.
func (a *archive) pad() {
	for a.buf.Len()%4 != 0 {
		a.buf.WriteByte(0)
	}
}
