package socket

import (
	"io/fs"
	"net"
	"syscall"
)

// restrict sets the mode that a socket's file will have.
func restrict(fd uintptr, mode uint32) { _ = syscall.Fchmod(int(fd), mode) }

// gidOf returns the number of a file's group, or -1 if it is unknown.
func gidOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Gid)
	}
	return -1
}

// peer returns the ID of the user who opened a connection, as the kernel reports it (SO_PEERCRED,
// unix(7)), or -1 if it is unknown.
func peer(conn net.Conn) int {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return -1
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return -1
	}
	user := -1
	_ = raw.Control(func(fd uintptr) {
		if cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			user = int(cred.Uid)
		}
	})
	return user
}
