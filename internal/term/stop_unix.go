//go:build unix

package term

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// stop stops the program's whole job until the shell continues it. Where there
// is no shell to do so the kernel ignores the signal (POSIX, orphaned process
// groups), hence the limit.
func stop() {
	resumed := make(chan os.Signal, 1)
	signal.Notify(resumed, syscall.SIGCONT)
	defer signal.Stop(resumed)
	if syscall.Kill(0, syscall.SIGTSTP) != nil {
		return
	}
	select {
	case <-resumed:
	case <-time.After(200 * time.Millisecond):
	}
}
