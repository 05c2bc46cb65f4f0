package bot

import (
	"os"
	"syscall"
)

// ownGroup protects the program from Ctrl-C in the console: c4hat ends the program itself.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func terminate(p *os.Process) { kill(p) }

func kill(p *os.Process) { _ = p.Kill() }
