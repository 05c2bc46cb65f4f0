//go:build linux

// Agent serves package inside in a machine.
package main

import (
	"fmt"
	"io"
	"net/rpc"
	"os"
	"time"

	"github.com/c4hat/c4hat/internal/dev/e2e/inside"
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
		server.ServeConn(patient{port}) // until the host hangs up, which it does before it saves the machine
	}
}

// patient is a port whose reads end only if they end twice: the host's first bytes may arrive before the
// kernel knows that the host is there, and until then every further read ends at once.
type patient struct{ *os.File }

func (p patient) Read(b []byte) (int, error) {
	n, err := p.File.Read(b)
	if err == io.EOF {
		time.Sleep(100 * time.Millisecond)
		n, err = p.File.Read(b)
	}
	return n, err
}
