package control

import (
	"net"
	"syscall"
)

// peer is the number of the user who has opened a connection, as the kernel knows it
// (SO_PEERCRED, unix(7)); -1 if it does not.
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
