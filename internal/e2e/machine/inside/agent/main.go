//go:build linux

// Agent serves package inside in a machine.
package main

import (
	"fmt"
	"net/rpc"
	"os"
	"time"

	"github.com/c4hat/c4hat/internal/e2e/machine/inside"
)

func main() {
	fmt.Fprintln(os.Stderr, "agent:", serve())
	os.Exit(1)
}

// serve never ends without an error.
func serve() error {
	s, err := inside.New()
	if err != nil {
		return err
	}
	server := rpc.NewServer()
	if err := server.RegisterName(inside.Name, s); err != nil {
		return err
	}
	for ; ; time.Sleep(50 * time.Millisecond) {
		port, err := inside.OpenPort()
		if err != nil {
			return err
		}
		server.ServeConn(port) // until the host hangs up, which it does before it saves the machine
	}
}
