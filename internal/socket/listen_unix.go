//go:build unix

package socket

import (
	"io/fs"
	"syscall"
)

// restrict sets the mode that a socket's file will have. On kernels where sockets have no mode,
// the file first has the mode that the umask allows, and Listen then changes it.
func restrict(fd uintptr, mode uint32) { _ = syscall.Fchmod(int(fd), mode) }

// gidOf returns the number of a file's group, or -1 if it is unknown.
func gidOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Gid)
	}
	return -1
}
