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

// stop stops the program's whole job until the shell has put it back into the
// foreground, and says whether that has happened: the context may end first. Where
// there is no shell to do so the kernel ignores the signal (POSIX, orphaned
// process groups), hence the limit.
func stop(ctx context.Context) bool {
	resumed := make(chan os.Signal, 1)
	signal.Notify(resumed, syscall.SIGCONT)
	defer signal.Stop(resumed)
	if syscall.Kill(0, syscall.SIGTSTP) != nil {
		return true
	}
	limit := time.After(200 * time.Millisecond)
	for {
		select {
		case <-ctx.Done():
			return false
		case <-resumed: // perhaps into the background, by kill or bg
		case <-limit:
		}
		limit = nil
		if ctx.Err() == nil && foreground() {
			return true
		}
	}
}

// continued tells that the program goes on after a stop that it did not hear of:
// SIGSTOP, or a SIGTSTP that somebody sent. (That one could be heard of, but once
// it is, Go has no way back to the stop that it stands for.)
func continued() (signals <-chan os.Signal, deaf func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGCONT)
	return c, func() { signal.Stop(c) }
}

// revive takes the terminal over again, which the shell has used meanwhile.
func (p *Panel) revive() {
	if !foreground() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed && p.release() == nil && p.screen.Resume() == nil {
		p.drawAnew()
	}
}

// foreground says whether the program may use its terminal.
func foreground() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return true
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err != nil || group == syscall.Getpgrp()
}

// remember gives a function that puts the terminal back as it is now, for when
// the one who should do so is stuck in it.
func remember() (restore func()) {
	// Not blocking: the terminal may take no output then.
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return func() {}
	}
	fd := int(tty.Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return func() {}
	}
	_ = unix.SetNonblock(fd, true) // Fd has made it block
	return func() {
		_ = term.Restore(fd, state)
		_, _ = unix.Write(fd, []byte(modesOff))
		tty.Close()
	}
}

// modesOff leaves what xterm calls the alternate screen, shows the cursor, wraps
// lines and reports no mouse and no pasting any more (ctlseqs, DECRST).
const modesOff = "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[m\x1b[?7h\x1b[?25h\x1b[?1049l"
