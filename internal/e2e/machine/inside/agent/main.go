//go:build linux

// Agent serves package inside in a machine.
package main

import (
	"fmt"
	"net/rpc"
	"os"

	"github.com/c4hat/c4hat/internal/e2e/machine/inside"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

func serve() error {
	port, err := inside.OpenPort()
	if err != nil {
		return err
	}
	s, err := inside.New()
	if err != nil {
		return err
	}
	server := rpc.NewServer()
	if err := server.RegisterName(inside.Name, s); err != nil {
		return err
	}
	server.ServeConn(port)
	return nil
}
