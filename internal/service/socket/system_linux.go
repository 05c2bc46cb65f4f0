package socket

import (
	"net"
	"strconv"
	"syscall"
)

// peer returns the ID of the user who opened a connection, as the kernel reports it (SO_PEERCRED,
// unix(7)), or nothing if it is unknown.
func peer(conn net.Conn) (user string) {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return ""
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return ""
	}
	_ = raw.Control(func(fd uintptr) {
		if cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			user = strconv.Itoa(int(cred.Uid))
		}
	})
	return user
}
