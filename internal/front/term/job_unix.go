//go:build unix

package term

import (
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/gdamore/tcell/v3"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
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
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return true
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err != nil || group == syscall.Getpgrp()
}

// remember returns a function that restores the settings that the terminal has now, in case tcell is stuck.
func remember() (restore func()) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return func() {}
	}
	fd := int(tty.Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return func() {}
	}
	return func() {
		_ = term.Restore(fd, state)
		tty.Close()
	}
}
