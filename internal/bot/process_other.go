//go:build !linux

package bot

import (
	"os"
	"os/exec"
	"time"
)

// process is a program's process, with the process group that it leads.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when the program has ended
}

// Supervise does nothing on this system.
func Supervise() {}

func start(cmd *exec.Cmd) (*process, error) {
	cmd.SysProcAttr, cmd.WaitDelay = ownGroup(), goodbye
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd, make(chan struct{})}
	go func() {
		_ = cmd.Wait() // status says more
		kill(cmd.Process)
		close(p.done)
	}()
	return p, nil
}

func (p *process) status() string { return p.cmd.ProcessState.String() }

// end ends the group, and returns when the program has ended.
func (p *process) end() {
	terminate(p.cmd.Process)
	if !await(p.done, goodbye) {
		kill(p.cmd.Process)
		await(p.done, patience)
	}
}

// usage returns what counts as sleep: here nobody knows what a program uses.
func (p *process) usage() (used time.Duration, awake bool) { return 0, false }

// unread reports whether a program may not have read its first line yet: here nobody knows.
func unread(*os.File) bool { return true }
