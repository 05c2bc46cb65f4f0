//go:build unix

package control

import (
	"io/fs"
	"os/user"
	"strconv"
	"syscall"
)

// restrict sets the mode that a socket's file will have. On kernels where sockets have no
// mode, the file has the mode that the umask allows until Listen changes it.
func restrict(fd uintptr, mode uint32) { _ = syscall.Fchmod(int(fd), mode) }

// groupOf returns the name of a file's group, or its number if it has no name.
func groupOf(info fs.FileInfo) string {
	gid := gidOf(info)
	if gid < 0 {
		return ""
	}
	id := strconv.Itoa(gid)
	if g, err := user.LookupGroupId(id); err == nil {
		return g.Name
	}
	return id
}

// gidOf returns the number of a file's group, -1 if unknown.
func gidOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Gid)
	}
	return -1
}
