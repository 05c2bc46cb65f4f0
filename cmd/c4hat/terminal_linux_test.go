package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a program that runs in a new terminal.
type terminal struct {
	*program
	master, slave *os.File
	before        *unix.Termios
	stall         atomic.Bool // the terminal accepts no output
}

// open starts a program in a new 80×24 terminal. args[0] is a command of TestMain or a path.
func open(t testing.TB, env []string, args ...string) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo terminals here:", err)
	}
	t.Cleanup(func() { master.Close() })
	must(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	must(t, err)
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	t.Cleanup(func() { slave.Close() })
	s := &terminal{master: master, slave: slave}
	s.resize(t, 24, 80)
	s.before, err = unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	must(t, err)
	env = append([]string{"TERM=xterm-256color", "LC_ALL=C.UTF-8", "TMPDIR=" + t.TempDir()}, env...)
	s.program = newProgram(t, env, args...)
	s.Stdin, s.Stdout, s.Stderr = slave, slave, slave
	s.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	s.begin(t)
	go func() {
		buf := make([]byte, 4096)
		for {
			for s.stall.Load() {
				time.Sleep(time.Millisecond)
			}
			n, err := master.Read(buf)
			_, _ = s.out.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	return s
}

func (s *terminal) resize(t testing.TB, rows, columns uint16) {
	t.Helper()
	must(t, unix.IoctlSetWinsize(int(s.slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}))
}

// over matches a move of the cursor, which may stand for a blank that was there before, and escapes any
// sequence for the terminal.
var over, escapes = regexp.MustCompile(`\x1b\[[0-9]+;[0-9]+H`), regexp.MustCompile(`(\x1b\[[0-9;?]*[a-zA-Z]|[▀▄█ ])+`)

// shown reports whether texts were printed in order.
func shown(printed string, texts []string) bool {
	rest := over.ReplaceAllString(printed, " ")
	for _, text := range texts {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			return false
		}
		rest = after
	}
	return true
}

// shows waits until the program has printed texts in order, or has ended.
func (s *terminal) shows(t testing.TB, texts ...string) {
	t.Helper()
	s.waits(t, 0, texts, func() {})
}

// redraws waits for texts in one picture. It makes the program redraw the whole screen again and
// again: otherwise only changes are drawn, and the texts could be parts of different pictures.
func (s *terminal) redraws(t testing.TB, texts ...string) {
	t.Helper()
	var asked time.Time
	s.waits(t, len(s.text()), texts, func() {
		if time.Since(asked) > 200*time.Millisecond {
			s.types(t, "\x0c")
			asked = time.Now()
		}
	})
}

// waits waits for texts after a place in the output, and calls again while they are not there.
func (s *terminal) waits(t testing.TB, from int, texts []string, again func()) {
	t.Helper()
	why := func() string {
		text := escapes.ReplaceAllString(s.text()[from:], " ")
		return fmt.Sprintf("%q is not shown; the end of what is: %q", texts, text[max(0, len(text)-2000):])
	}
	eventually(t, func() bool {
		ended := s.ended()
		if ended && !s.stall.Load() {
			s.drain(t)
		}
		switch {
		case shown(s.text()[from:], texts):
			return true
		case ended:
			t.Fatal("the program has ended: ", why())
		}
		again()
		return false
	}, why)
}

// ended reports whether the program has ended. Its exit status stays for ends.
func (s *terminal) ended() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, s.Process.Pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return errors.Is(err, unix.ECHILD) || err == nil && info.Signo == int32(unix.SIGCHLD)
}

func (s *terminal) types(t testing.TB, keys string) {
	t.Helper()
	time.Sleep(secondTap) // as people do
	_, err := s.master.WriteString(keys)
	must(t, err)
}

// mark is what drain writes.
const mark = "<drained>"

// text returns what was printed so far.
func (s *terminal) text() string { return strings.ReplaceAll(s.out.String(), mark, "") }

// drain waits until all output so far is read.
func (s *terminal) drain(t testing.TB) {
	t.Helper()
	before := strings.Count(s.out.String(), mark)
	_, err := s.slave.WriteString(mark)
	must(t, err)
	eventually(t, func() bool { return strings.Count(s.out.String(), mark) > before }, func() string { return "the output does not end" })
}

// ends waits for the program to end, checks its exit status, and that the terminal is restored.
func (s *terminal) ends(t testing.TB, status int) {
	t.Helper()
	var exit *exec.ExitError
	if err := s.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := s.ProcessState.ExitCode(); got != status {
		t.Errorf("exit status %d, want %d", got, status)
	}
	after, err := unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS)
	must(t, err)
	after.Cc[unix.VMIN] = s.before.Cc[unix.VMIN] // which means nothing where lines are read (termios(3))
	if *after != *s.before {
		t.Errorf("the terminal's settings are %+v, were %+v", after, s.before)
	}
	if s.stall.Load() {
		return
	}
	s.drain(t)
	text := s.text()
	for _, mode := range []struct{ on, off string }{
		{"\x1b[?1049h", "\x1b[?1049l"}, // alternate screen
		{"\x1b[?25l", "\x1b[?25h"},     // hidden cursor
		{"\x1b[?1000h", "\x1b[?1000l"}, // mouse events
		{"\x1b[?1003h", "\x1b[?1003l"},
		{"\x1b[?7l", "\x1b[?7h"}, // no wrapping
	} {
		if strings.LastIndex(text, mode.on) > strings.LastIndex(text, mode.off) {
			t.Errorf("%q was left on", mode.on)
		}
	}
	if strings.Contains(text, "goroutine ") {
		t.Errorf("a stack trace on the screen: %q", text)
	}
}
