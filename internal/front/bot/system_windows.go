package bot

import "syscall"

// ownGroup protects the program from Ctrl-C in the console: c4hat ends the program itself.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func (p *Program) terminate() error { return p.cmd.Process.Kill() }

func (p *Program) kill() {}

func (p *Program) stop() {}

func (p *Program) resume() {}
