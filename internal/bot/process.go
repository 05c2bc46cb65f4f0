package bot

import (
	"os/exec"
	"runtime"
)

// process is a program's process, which leads a process group of its own. A process that leaves the group on
// purpose is its author's problem.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when the program has ended
}

func start(cmd *exec.Cmd) (*process, error) {
	cmd.SysProcAttr, cmd.WaitDelay = ownGroup(), goodbye // the terminal's Ctrl-C is not for the program
	dieWithParent(cmd.SysProcAttr)
	p, started := &process{cmd, make(chan struct{})}, make(chan error)
	go func() {
		runtime.LockOSThread() // on Linux the program dies with the thread that has started it
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // status says more
			kill(cmd.Process)
			close(p.done)
		}
		runtime.UnlockOSThread()
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	limit(cmd.Process.Pid)
	return p, nil
}

// status returns how the program ended. It must be called after p is done.
func (p *process) status() string { return p.cmd.ProcessState.String() }

// end ends the group, and returns when the program has ended.
func (p *process) end() {
	terminate(p.cmd.Process)
	if !await(p.done, goodbye) {
		kill(p.cmd.Process)
		await(p.done, patience)
	}
}
