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
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	id := strconv.FormatUint(uint64(stat.Gid), 10)
	if g, err := user.LookupGroupId(id); err == nil {
		return g.Name
	}
	return id
}
