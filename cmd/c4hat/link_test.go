package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
)

// sshStandIn runs instead of ssh in most tests. It connects its standard input and output to a
// [cable], or runs the command in SSH_RUNS.
func sshStandIn() {
	if runs := os.Getenv("SSH_RUNS"); runs != "" {
		cmd := exec.Command("/bin/sh", "-c", runs)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		_ = cmd.Run()
		os.Exit(cmd.ProcessState.ExitCode())
	}
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
	os.Exit(255) // as ssh does when its connection is lost
}
