//go:build unix

package control

import (
	"io/fs"
	"os/user"
	"strconv"
	"syscall"
)

// restrict gives a socket the mode that its file is to have. Where the kernel has
// none for sockets, the umask has the say until the file is there.
func restrict(fd uintptr, mode uint32) { _ = syscall.Fchmod(int(fd), mode) }

// groupOf is the name of a file's group, or its number where it has none.
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

// gidOf is the number of a file's group, -1 if that is not known.
func gidOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Gid)
	}
	return -1
}
