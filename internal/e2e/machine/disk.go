//go:build linux

package machine

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// diskServer is a disk with a write cache: nbdkit keeps what is written in memory until
// it is told to flush. Killed, it has forgotten the rest, as a card does without power.
type diskServer struct{ nbdkit *exec.Cmd }

func serveDisk(file, socket string) (*diskServer, error) {
	_ = os.Remove(socket) // of one that was killed
	d := &diskServer{exec.Command("nbdkit", "--foreground", "--unix", socket, "--filter=cache", "file", file, "cache=writeback")}
	d.nbdkit.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := d.nbdkit.Start(); err != nil {
		return nil, fmt.Errorf("machine: %w", err)
	}
	conn, err := dial(socket)
	if err != nil {
		d.kill()
		d.wait()
		return nil, err
	}
	return d, conn.Close()
}

// kill is the power cut. A machine with another disk has no server, which is nil.
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
