package player

import (
	"os"
	"syscall"
)

// ownGroup keeps Ctrl-C in the console from the program: c4hat ends it.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func terminate(p *os.Process) { kill(p) }

func kill(p *os.Process) { _ = p.Kill() }
