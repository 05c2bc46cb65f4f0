//go:build linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// diskServer is a disk that nbdkit serves. nbdkit's filters change how the disk behaves.
type diskServer struct{ nbdkit *exec.Cmd }

// Filters of nbdkit, with their settings. A disk with a cache keeps writes in memory until a flush.
// Killing the server loses what was not flushed, as a power cut does on a card. A slow disk takes
// half a second for each read.
var (
	cached = [2]string{"cache", "cache=writeback"}
	slow   = [2]string{"delay", "rdelay=500ms"}
)

func serveDisk(file, socket string, filter [2]string) (*diskServer, error) {
	_ = os.Remove(socket) // left by a killed server
	d := &diskServer{exec.Command("nbdkit", "--foreground", "--unix", socket, "--filter="+filter[0], "file", file, filter[1])}
	d.nbdkit.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := d.nbdkit.Start(); err != nil {
		return nil, fmt.Errorf("e2e: %w", err)
	}
	conn, err := dial(socket)
	if err != nil {
		d.kill()
		d.wait()
		return nil, err
	}
	return d, conn.Close()
}

// kill kills the server, to simulate a power cut. It does nothing if d is nil: a plain disk has no
// server.
func (d *diskServer) kill() {
	if d != nil {
		_ = d.nbdkit.Process.Kill()
	}
}

func (d *diskServer) wait() {
	if d != nil {
		_ = d.nbdkit.Wait()
	}
}
