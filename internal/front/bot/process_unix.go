//go:build unix

package bot

import "syscall"

// ownGroup makes the program lead a process group, so that all that it starts ends with it. The terminal's
// Ctrl-C does not reach it: c4hat ends the program itself.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func (p *Program) signal(s syscall.Signal) { _ = syscall.Kill(-p.cmd.Process.Pid, s) }

func (p *Program) terminate() { p.signal(syscall.SIGTERM) }

func (p *Program) kill() { p.signal(syscall.SIGKILL) }

func (p *Program) stop() { p.signal(syscall.SIGSTOP) }

func (p *Program) resume() { p.signal(syscall.SIGCONT) }
