//go:build unix

package term

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// stop stops the program's whole job until the shell has put it back into the foreground. It
// returns false if the context ends first. Without a shell that controls the job the kernel ignores
// the signal (POSIX, orphaned process groups), hence the limit.
func stop(ctx context.Context, continued <-chan os.Signal) bool {
	if syscall.Kill(0, syscall.SIGTSTP) != nil {
		return true
	}
	limit := time.After(200 * time.Millisecond)
	for {
		select {
		case <-ctx.Done():
			return false
		case <-continued: // perhaps in the background, by kill or bg
		case <-limit:
		}
		limit = nil
		if ctx.Err() == nil && foreground() {
			return true
		}
	}
}

// continued returns a channel that receives when the program is resumed, even after a stop that the
// program cannot notice: SIGSTOP, or a SIGTSTP from another process. (The program could be notified
// of a SIGTSTP, but Go could then not restore the signal's default action, the stop.)
func continued() chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGCONT)
	return c
}

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

// remember returns a function that restores the terminal's current state, in case tcell is stuck.
func remember() (restore func()) {
	// Non-blocking, because the terminal may take no output.
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return func() {}
	}
	fd := int(tty.Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return func() {}
	}
	_ = unix.SetNonblock(fd, true) // Fd made it blocking
	return func() {
		_ = term.Restore(fd, state)
		_, _ = unix.Write(fd, []byte(modesOff))
		tty.Close()
	}
}

// modesOff ends a held-back picture, and turns off the keypad's codes, mouse reports, bracketed paste and
// xterm's alternate screen, shows the cursor and wraps lines (ctlseqs, DECRST and DECSET).
const modesOff = "\x1b[?2026l\x1b[?1l\x1b>\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[m\x1b[?7h\x1b[?25h\x1b[?1049l"
