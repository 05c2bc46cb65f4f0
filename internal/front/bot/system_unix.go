//go:build unix

package bot

import (
	"os"
	"syscall"
)

// ownGroup makes the program lead a process group, so that all that it starts ends with it. The terminal's
// Ctrl-C does not reach it: c4hat ends the program itself.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// signal sends a signal to the group, unless its number may be another's by now.
func (p *Program) signal(s syscall.Signal) error {
	select {
	case <-p.ended:
		return os.ErrProcessDone
	default:
		return syscall.Kill(-p.cmd.Process.Pid, s)
	}
}

func (p *Program) terminate() error { return p.signal(syscall.SIGTERM) }

func (p *Program) kill() { _ = p.signal(syscall.SIGKILL) }

// stop makes the program stand still until resume.
func (p *Program) stop() { _ = p.signal(syscall.SIGSTOP) }

func (p *Program) resume() { _ = p.signal(syscall.SIGCONT) }
