package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/cli"
	"golang.org/x/sys/unix"
)

// session is a program that runs in a new terminal.
type terminal struct {
	cmd    *exec.Cmd
	master *os.File
	slave  *os.File
	before *unix.Termios

	mu    sync.Mutex
	out   bytes.Buffer
	stall atomic.Bool // the terminal accepts no output
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
	must(t, unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	before, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	must(t, err)
	exe, err := os.Executable()
	must(t, err)
	s := &terminal{master: master, slave: slave, before: before}
	if strings.HasPrefix(args[0], "/") {
		exe = args[0]
	}
	s.cmd = &exec.Cmd{
		Path: exe, Args: args,
		Env:   append(testEnvironment("TERM=xterm-256color", "LC_ALL=C.UTF-8", "TMPDIR="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir()), env...),
		Stdin: slave, Stdout: slave, Stderr: slave,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true},
	}
	must(t, s.cmd.Start())
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait() // a running program would write to a folder that is being removed
	})
	go func() {
		buf := make([]byte, 4096)
		for {
			for s.stall.Load() {
				time.Sleep(time.Millisecond)
			}
			n, err := master.Read(buf)
			s.mu.Lock()
			s.out.Write(buf[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s
}

func (s *terminal) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

// shows waits until the program has printed texts in order, or has ended.
func (s *terminal) shows(t testing.TB, texts ...string) {
	t.Helper()
	why := func() string {
		text := s.text()
		return fmt.Sprintf("%q is not shown; the end of what is: %q", texts, text[max(0, len(text)-500):])
	}
	eventually(t, func() bool {
		ended := s.ended()
		if ended && !s.stall.Load() {
			s.drain(t)
		}
		is := shown(s.text(), texts)
		if ended && !is {
			t.Fatal("the program has ended: ", why())
		}
		return is
	}, why)
}

// ended reports whether the program has ended. Its exit status stays for status.
func (s *terminal) ended() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, s.cmd.Process.Pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return errors.Is(err, unix.ECHILD) || err == nil && info.Signo == int32(unix.SIGCHLD)
}

// over matches a move of the cursor, which may stand for a blank that was there before.
var over = regexp.MustCompile(`\x1b\[[0-9]+;[0-9]+H`)

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

// redraws waits for texts in one picture. It makes the program redraw the whole screen again and
// again: otherwise only changes are drawn, and the texts could be parts of different pictures.
func (s *terminal) redraws(t testing.TB, texts ...string) {
	t.Helper()
	before := len(s.text())
	var asked time.Time
	eventually(t, func() bool {
		if shown(s.text()[before:], texts) {
			return true
		}
		if s.ended() {
			t.Fatalf("the program has ended: %q is not on the screen: %q", texts, s.text()[before:])
		}
		if time.Since(asked) > 200*time.Millisecond {
			s.types(t, "\x0c")
			asked = time.Now()
		}
		return false
	}, func() string {
		text := s.text()
		return fmt.Sprintf("%q is not on the screen: %q", texts, text[max(before, len(text)-3000):])
	})
}

func (s *terminal) types(t testing.TB, keys string) {
	t.Helper()
	time.Sleep(secondTap) // as people do
	if _, err := s.master.WriteString(keys); err != nil {
		t.Fatal(err)
	}
}

// status waits for the program to end and returns its exit status.
func (s *terminal) status(t testing.TB) int {
	t.Helper()
	timer := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	defer timer.Stop()
	err := s.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if !s.stall.Load() {
		s.drain(t)
	}
	return s.cmd.ProcessState.ExitCode()
}

// drain waits until all output so far is read, so that new output can be told from old.
func (s *terminal) drain(t testing.TB) {
	t.Helper()
	const end = "<the end of the session>"
	if _, err := s.slave.WriteString(end); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return strings.Contains(s.text(), end) }, func() string { return "the output does not end" })
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.out.String()
	s.out.Reset()
	s.out.WriteString(strings.Replace(text, end, "", 1))
}

// intact checks that the terminal is restored.
func (s *terminal) intact(t testing.TB) {
	t.Helper()
	after, err := unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS)
	must(t, err)
	if *after != *s.before {
		t.Errorf("the terminal's settings are %+v, were %+v", after, s.before)
	}
	text := s.text()
	for _, mode := range []struct{ on, off string }{
		{"\x1b[?1049h", "\x1b[?1049l"}, // alternate screen
		{"\x1b[?25l", "\x1b[?25h"},     // hidden cursor
		{"\x1b[?1000h", "\x1b[?1000l"}, // mouse events
		{"\x1b[?1003h", "\x1b[?1003l"},
		{"\x1b[?7l", "\x1b[?7h"}, // no wrapping
	} {
		on, off := strings.LastIndex(text, mode.on), strings.LastIndex(text, mode.off)
		if on < 0 && mode.on != "\x1b[?1000h" {
			t.Errorf("%q was never switched on", mode.on)
		}
		if on > off {
			t.Errorf("%q was left on", mode.on)
		}
	}
}

// The terminal is restored however the program ends.
func TestTerminalRestored(t *testing.T) {
	tests := []struct {
		name    string
		command string
		do      func(t *testing.T, s *terminal)
		want    int
	}{
		{"q", "c4hat", func(t *testing.T, s *terminal) { s.types(t, "q") }, 0},
		{"ctrl-c", "c4hat", func(t *testing.T, s *terminal) { s.types(t, "\x03") }, 130},
		{"SIGINT", "c4hat", func(t *testing.T, s *terminal) { _ = s.cmd.Process.Signal(syscall.SIGINT) }, 130},
		{"SIGTERM", "c4hat", func(t *testing.T, s *terminal) { _ = s.cmd.Process.Signal(syscall.SIGTERM) }, 143},
		{"SIGHUP", "c4hat", func(t *testing.T, s *terminal) { _ = s.cmd.Process.Signal(syscall.SIGHUP) }, 129},
		{"SIGQUIT", "c4hat", func(t *testing.T, s *terminal) { _ = s.cmd.Process.Signal(syscall.SIGQUIT) }, 131},
		{"panic", "c4hat-panics", func(t *testing.T, s *terminal) { s.types(t, "?") }, 1},
		{"ctrl-z, and continued", "c4hat", func(t *testing.T, s *terminal) {
			s.types(t, "\x1a")
			s.shows(t, "\x1b[?1049l") // restored
			s.shows(t, "\x1b[?1049l", "\x1b[?1049h", "red to move")
			s.types(t, "q")
		}, 0},
		{"no UTF-8", "c4hat", func(t *testing.T, s *terminal) {
			s.types(t, "\xff\x80\xc3\xe2\x82\xc0\xaf4")
			s.shows(t, "moves")
			s.types(t, "q")
		}, 0},
		{"alt and brackets", "c4hat", func(t *testing.T, s *terminal) {
			s.types(t, "\x1b]\x1bX\x1b^\x1b_\x1bP4")
			s.shows(t, "moves")
			s.types(t, "\x03")
		}, 130},
		{"a paste", "c4hat", func(t *testing.T, s *terminal) {
			s.types(t, "\x1b[200~1234567 quit\x1b[201~4")
			s.shows(t, "moves")
			if strings.Contains(s.text(), "to take back") || strings.Contains(s.text(), "> resume") {
				t.Error("a paste was played")
			}
			s.types(t, "q")
		}, 0},
		{"SIGSTOP, and continued", "c4hat", func(t *testing.T, s *terminal) {
			_ = s.cmd.Process.Signal(syscall.SIGSTOP)
			_ = s.cmd.Process.Signal(syscall.SIGCONT)
			s.shows(t, "\x1b[?1049l", "\x1b[?1049h", "red to move")
			s.types(t, "q")
		}, 0},
		{"end", "c4hat", func(t *testing.T, s *terminal) {
			s.types(t, "p")
			s.shows(t, "> resume")
			s.types(t, "k")
			s.redraws(t, "> end")
			s.types(t, " ")
			s.redraws(t, "menu", "> two players")
			s.types(t, "q")
		}, 0},
		{"q and much more", "c4hat", func(t *testing.T, s *terminal) { s.types(t, "q"+strings.Repeat("lorem ipsum ", 300)) }, 0},
		{"SIGTERM and much typed", "c4hat", func(t *testing.T, s *terminal) {
			s.types(t, strings.Repeat("nothing here ends it ", 100))
			_ = s.cmd.Process.Signal(syscall.SIGTERM)
		}, 143},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, nil, tt.command, "play", "--points", "2")
			s.shows(t, "red to move")
			tt.do(t, s)
			if got := s.status(t); got != tt.want {
				t.Errorf("exit status %d, want %d", got, tt.want)
			}
			s.intact(t)
			text := s.text()
			if strings.Contains(text, "goroutine ") {
				t.Errorf("a stack trace on the screen: %q", text)
			}
			if tt.name == "panic" && !strings.Contains(text, "c4hat: internal fault: out of ideas and words; please report it with the file ") {
				t.Errorf("the fault is not named: %q", text[max(0, len(text)-300):])
			}
		})
	}
}

// If the terminal accepts no output, for example over a stalled connection, the program still ends
// on a signal, and restores the terminal's settings.
func TestStalledTerminal(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(s *terminal){
		"SIGTERM": func(s *terminal) { _ = s.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGHUP":  func(s *terminal) { _ = s.cmd.Process.Signal(syscall.SIGHUP) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, nil, "c4hat", "play", "--points", "2")
			s.shows(t, "red to move")
			s.stall.Store(true)
			defer s.stall.Store(false)
			for range 200 {
				s.types(t, "\x0c") // redraw everything
				time.Sleep(time.Millisecond)
			}
			end(s)
			if got := s.status(t); got <= 128 {
				t.Errorf("exit status %d", got)
			}
			after, err := unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS)
			must(t, err)
			if *after != *s.before {
				t.Errorf("the terminal's settings are %+v, were %+v", after, s.before)
			}
		})
	}
}

// A job that was stopped with Ctrl-Z ends on a signal, although it may not use the terminal.
func TestKillStoppedJob(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no shell with jobs:", err)
	}
	exe, err := os.Executable()
	must(t, err)
	s := open(t, []string{"HISTFILE="}, shell, "--norc", "--noediting", "-i")
	s.types(t, fmt.Sprintf("PS1='ready> '; (exec -a c4hat '%s' play --points 2)\n", exe))
	s.shows(t, "red to move")
	s.types(t, "\x1a")
	s.shows(t, "Stopped")
	s.types(t, "kill %1\n")
	var asked time.Time
	eventually(t, func() bool {
		if strings.Contains(s.text(), "Exit 143") {
			return true
		}
		if time.Since(asked) > 100*time.Millisecond {
			s.types(t, "\n") // the shell reports at its prompt
			asked = time.Now()
		}
		return false
	}, func() string { return "the job is not told to have ended: " + s.text() })
	s.types(t, "exit\n")
	_ = s.status(t)
}

// A match is played with the digit keys, and its result stays on the screen.
func TestTerminalMatch(t *testing.T) {
	t.Parallel()
	s := open(t, nil, "c4hat", "play", "--points", "1")
	s.shows(t, "red to move")
	const moves = "1212121"
	for i := range moves {
		s.types(t, moves[i:i+1])
		if i == len(moves)-1 {
			break
		}
		s.redraws(t, []string{"yellow to move", "red to move"}[i%2], "moves", moves[:i+1])
		time.Sleep(350 * time.Millisecond) // an earlier key press would be taken for a repeat
	}
	s.redraws(t, "red wins the match 1-0", "Enter rematch")
	time.Sleep(2 * time.Second) // longer than the LEDs blink
	s.redraws(t, "red wins the match 1-0", "red won the round")
	s.types(t, " ")
	s.redraws(t, "red to move", "red 0, yellow 0")
	s.types(t, "\x1b")
	s.shows(t, "resume")
	s.types(t, "q")
	if got := s.status(t); got != 0 {
		t.Errorf("exit status %d", got)
	}
	s.intact(t)
}

// A person who lost finds out why by one key, and by the command that the program names at its end.
func TestTerminalWhy(t *testing.T) {
	t.Parallel()
	s := open(t, nil, "c4hat", "play", "--points", "1", "--position", "12121")
	s.shows(t, "yellow to move")
	s.types(t, "2")
	s.redraws(t, "red to move")
	s.types(t, "1")
	s.redraws(t, "red wins the match 1-0", "l look back")
	s.types(t, "l")
	s.redraws(t, "disc 7 of 7", "↑ last mistake")
	s.types(t, "\x1b[A") // the arrow up
	s.redraws(t, "Disc 6 lost the game", "had to block")
	s.types(t, "\x1b")
	s.shows(t, "two players") // Ctrl-L right after Esc would be Alt-Ctrl-L
	s.types(t, "q")
	if got := s.status(t); got != 0 {
		t.Errorf("exit status %d", got)
	}
	s.shows(t, "red wins the match 1-0\r\nc4hat analyse shows the discs that decided it; c4hat replay shows the match again\r\n")
}

// A saved match is the menu's first entry. If a flag chooses another match, that match warns before its
// first disc that it replaces the saved one.
func TestTerminalResumes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i, before := range []string{"red to move", "replaces your saved", "> resume"} {
		args := []string{"c4hat", "play", "--state", dir, "--points", "1"}
		s := open(t, nil, args[:len(args)-i/2*2]...)
		s.shows(t, before)
		switch i {
		case 1: // beside the keys
			s.redraws(t, before, "1-7 column")
		case 2:
			s.redraws(t, "red 0, yellow 0; last disc in column 2", "> resume", "two players")
			s.types(t, " ")
			s.redraws(t, "yellow to move", "first to 1 point", "column 2, row 1")
			time.Sleep(350 * time.Millisecond) // an earlier key press would be taken for a repeat
		}
		s.types(t, []string{"1", "2", "3"}[i])
		s.redraws(t, []string{"yellow to move", "yellow to move", "red to move"}[i])
		s.types(t, "q")
		if got := s.status(t); got != 0 {
			t.Errorf("exit status %d", got)
		}
		s.shows(t, "the match is kept: c4hat play --continue --state ")
	}
}

// A match that is open in one terminal is not resumed in another, and another match there is not kept.
func TestTerminalTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := open(t, nil, "c4hat", "play", "--state", dir, "--position", "4453")
	first.redraws(t, "red to move")
	first.types(t, "1")
	first.redraws(t, "yellow to move")
	s := open(t, nil, "c4hat", "play", "--continue", "--state", dir)
	s.shows(t, "c4hat: your match is open in another terminal, or in c4hat web: quit it there first")
	if got := s.status(t); got != 1 {
		t.Errorf("exit status %d", got)
	}
	s = open(t, nil, "c4hat", "play", "--state", dir, "--position", "1122")
	s.redraws(t, "this match will not be")
	s.types(t, "1")
	s.redraws(t, "yellow to move")
	s.types(t, "q")
	s.shows(t, "c4hat: this match was not kept")
	first.types(t, "q")
	first.shows(t, "the match is kept: ")
	// The computer's first disc would replace the saved match before anybody can answer.
	s = open(t, nil, "c4hat", "play", "--state", dir, "--cpu", "red")
	s.shows(t, "--force replaces it")
}

// If no flag chooses a match, the menu opens.
func TestTerminalMenu(t *testing.T) {
	t.Parallel()
	s := open(t, nil, "c4hat", "play")
	s.shows(t, "> two players")
	s.types(t, "\x1b[B") // the arrow down
	s.redraws(t, "> computer: beginner")
	s.types(t, "l")
	s.redraws(t, "> computer: easy")
	s.types(t, " ")
	s.redraws(t, "your turn", "level easy")
	s.types(t, "q")
	if got := s.status(t); got != 0 {
		t.Errorf("exit status %d", got)
	}
	s.intact(t)
}

func TestTerminalWithoutColour(t *testing.T) {
	t.Parallel()
	for _, env := range []string{"NO_COLOR=1", "TERM=vt100"} {
		s := open(t, []string{env}, "c4hat", "play", "--position", "4453")
		s.shows(t, "to move")
		s.shows(t, "Y")
		s.types(t, "q")
		if got := s.status(t); got != 0 {
			t.Errorf("%s: exit status %d", env, got)
		}
		if text := s.text(); colours.MatchString(text) {
			t.Errorf("%s: colours: %q", env, text)
		}
	}
	s := open(t, []string{"TERM=dumb"}, "c4hat", "play")
	s.shows(t, "red, column 1-7: ")
	s.types(t, "q\n")
	if got := s.status(t); got != 0 {
		t.Errorf("TERM=dumb: exit status %d", got)
	}
	if text := s.text(); strings.Contains(text, "\x1b") {
		t.Errorf("TERM=dumb: escape codes: %q", text)
	}
	// An unknown terminal is treated as an xterm.
	s = open(t, []string{"TERM=nonsense"}, "c4hat", "play", "--points", "2")
	s.shows(t, "red to move")
	s.types(t, "q")
	if got := s.status(t); got != 0 {
		t.Errorf("TERM=nonsense: exit status %d", got)
	}
	s.intact(t)
	if text := s.text(); !colours.MatchString(text) {
		t.Errorf("TERM=nonsense: no colours: %q", text)
	}
}

// colours matches escape codes that set a colour.
var colours = regexp.MustCompile("\x1b\\[([0-9;]*;)?([34][0-7]|9[0-7]|[34]8;[25])[;m]")

// Ctrl-C ends a match in lines of text.
func TestInterruptPlain(t *testing.T) {
	t.Parallel()
	s := open(t, nil, "c4hat", "play", "--display", "plain")
	s.shows(t, "red, column 1-7: ")
	must(t, unix.IoctlSetWinsize(int(s.slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 12, Col: 30}))
	s.types(t, "9\r")
	s.shows(t, "There is no column 9: choose\r\nanother from 1 to 7.\r\n", "red, column 1-7: ") // broken between words
	s.types(t, "\x03")
	if got := s.status(t); got != 130 {
		t.Errorf("exit status %d, want 130", got)
	}
}

// Ctrl-C ends c4hat solve while it searches or waits for a line, and the progress line is erased.
func TestInterruptSolve(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"c4hat", "solve", "--no-book", "-"}, {"c4hat", "solve", "--no-book", "--columns", "-"}, {"c4hat", "solve"}} {
		s := open(t, nil, args...)
		if len(args) == 2 {
			s.shows(t, "Type one position per line")
			s.shows(t, "POSITION SCORE NODES MICROSECONDS\r\n")
			s.types(t, "112233\r")
			s.shows(t, "112233 18 ")
		} else {
			s.shows(t, " million positions, ")
		}
		s.types(t, "\x03")
		if got := s.status(t); got != cli.ExitInterrupted {
			t.Errorf("%q: exit status %d, want %d", args, got, cli.ExitInterrupted)
		}
		if text := s.text(); len(args) > 2 && !strings.HasSuffix(text, "\r\x1b[K") {
			t.Errorf("the output ends with %q", text[max(0, len(text)-60):])
		}
	}
}

// If the terminal's character set is not UTF-8, the picture is drawn in ASCII.
func TestOlderCharacterSet(t *testing.T) {
	s := open(t, []string{"LC_ALL=de_DE.ISO-8859-1"}, "c4hat", "play", "--points", "2")
	s.shows(t, "red to move", "/", `\`, "p pause")
	for _, c := range s.text() {
		if c > '~' {
			t.Fatalf("%c is not ASCII", c)
		}
	}
	s.types(t, "q")
	if got := s.status(t); got != 0 {
		t.Errorf("exit status %d", got)
	}
	s.intact(t)
}
