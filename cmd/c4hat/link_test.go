package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"strings"
)

// sshStandIn is what the tests call ssh: it connects its standard streams to a cable.
func sshStandIn() {
	conn, err := net.Dial("unix", os.Getenv("CABLE"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "ssh: connect to host b port 22: Connection refused")
		os.Exit(255)
	}
	fmt.Fprintln(conn, strings.Join(os.Args[1:], " "))
	go func() {
		_, _ = io.Copy(conn, os.Stdin)
		_ = conn.(*net.UnixConn).CloseWrite()
	}()
	_, _ = io.Copy(os.Stdout, conn)
	os.Exit(255) // as ssh does when the line is cut
}
