//go:build unix

package term

import (
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/gdamore/tcell/v3"
	"golang.org/x/sys/unix"
)

// asciiTty is a terminal that sends only ASCII, as all keys of the game are: tcell loops forever on a byte that is
// not UTF-8 (a Latin-1 key, line noise).
type asciiTty struct{ tcell.Tty }

// Read may return no bytes.
func (t asciiTty) Read(p []byte) (int, error) {
	n, err := t.Tty.Read(p)
	return len(slices.DeleteFunc(p[:n], func(c byte) bool { return c >= 0x80 })), err
}

func newScreen() (tcell.Screen, error) {
	tty, err := tcell.NewDevTty()
	if err != nil {
		return nil, err
	}
	return tcell.NewTerminfoScreenFromTty(asciiTty{tty}, plain...)
}

func stopJob() { _ = syscall.Kill(0, syscall.SIGTSTP) }

// notifyContinued tells when the program is resumed, even after a stop that it cannot notice: SIGSTOP, or a
// SIGTSTP from another process. (It could be notified of a SIGTSTP, but Go could then not restore the signal's
// default action, the stop.)
func notifyContinued(c chan<- os.Signal) { signal.Notify(c, syscall.SIGCONT) }

// foreground reports whether the program may use its terminal.
func foreground() bool {
	group, err := unix.IoctlGetInt(int(os.Stdin.Fd()), unix.TIOCGPGRP)
	return err != nil || group == syscall.Getpgrp()
}
