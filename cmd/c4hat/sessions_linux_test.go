package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// TestSessions runs the scripts in testdata/sessions: people who use the service, terminals and pipes at the
// same time. Their commands are below.
func TestSessions(t *testing.T) {
	if testing.Short() {
		t.Skip("the sessions take minutes, at the pace of people")
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/sessions",
		Setup: func(env *testscript.Env) error {
			env.Values["world"] = &world{
				TB: env.T().(testing.TB), services: map[string]*running{}, programs: map[string]*program{},
			}
			env.Setenv("TERM", "xterm-256color")
			env.Setenv("TMPDIR", env.WorkDir)
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
			return nil
		},
		Cmds: scripted(),
	})
}

// world is what a script has started.
type world struct {
	testing.TB
	*running // the service; nil before serve
	services map[string]*running
	programs map[string]*program
}

var keys = map[string]uint16{"up": keyUp, "down": keyDown, "left": keyLeft, "right": keyRight, "enter": keyEnter}

// named returns a program by its name; service is the service.
func (w *world) named(name string) *program {
	switch {
	case name == "service":
		return w.running.program
	case w.programs[name] == nil:
		w.Fatalf("nothing has the name %s", name)
	}
	return w.programs[name]
}

// scriptEnvironment returns the variables of a script that programs get.
func scriptEnvironment(ts *testscript.TestScript) (env []string) {
	for _, name := range []string{"XDG_STATE_HOME", "TERM", "LC_ALL", "NO_COLOR", "HISTFILE", "TMPDIR", "PATH", "SSH_CONNECTION"} {
		if value := ts.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// processes counts the processes with a text in their arguments, other than c4hat's own.
func processes(text string) (n int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		if command, _ := os.ReadFile(file); strings.Contains(string(command), text) && !strings.HasPrefix(string(command), "c4hat\x00") {
			n++
		}
	}
	return n
}

func scripted() (all map[string]func(*testscript.TestScript, bool, []string)) {
	all = map[string]func(*testscript.TestScript, bool, []string){"status": status}
	for name, f := range map[string]func(ts *testscript.TestScript, w *world, args []string){
		// hat [FLAG…] makes a HAT, and restart starts the service on it, or again; serve does both. halt ends the
		// service, and crash kills it. at NAME COMMAND… runs one of these commands for another service.
		"hat": func(ts *testscript.TestScript, w *world, args []string) {
			w.running = newRunning(w, args...)
			for name, value := range map[string]string{"SOCKET": w.socket, "FB": w.fb, "STICK": w.stick, "STATE": w.running.state} {
				ts.Setenv(name, value)
			}
		},
		"serve": func(ts *testscript.TestScript, w *world, args []string) {
			all["hat"](ts, false, args)
			w.start(w)
		},
		"restart": func(_ *testscript.TestScript, w *world, _ []string) { w.start(w) },
		"halt":    func(_ *testscript.TestScript, w *world, _ []string) { w.stop(w) },
		"crash":   func(_ *testscript.TestScript, w *world, _ []string) { w.kill(w) },
		"at": func(ts *testscript.TestScript, w *world, args []string) {
			before := w.running
			w.running = w.services[args[0]]
			all[args[1]](ts, false, args[2:])
			w.services[args[0]], w.running = w.running, before
		},
		// tap KEY… presses keys of the joystick; hold KEY presses one until release KEY.
		"tap": func(_ *testscript.TestScript, w *world, args []string) {
			for _, key := range args {
				w.tap(w, keys[key])
			}
		},
		// choose NAME walks to an entry of the menu or of the pause screen, and chooses it.
		"choose": func(_ *testscript.TestScript, w *world, args []string) {
			for name := w.latest().Choices.Name(); name != args[0]; name = w.view.Choices.Name() {
				w.tap(w, keyLeft)
				w.until(w, args[0], func(v game.View) bool { return v.Choices.Name() != name })
			}
			w.tap(w, keyEnter)
		},
		"hold":    func(_ *testscript.TestScript, w *world, args []string) { w.send(w, keys[args[0]], 1) },
		"release": func(_ *testscript.TestScript, w *world, args []string) { w.send(w, keys[args[0]], 0) },
		// aims [MOVES] waits until the moves are played and saved, and the next disc may be dropped.
		"aims": func(_ *testscript.TestScript, w *world, args []string) { w.aims(w, strings.Join(args, "")) },
		// state PATTERN… waits until the JSON of GET /v1/status matches.
		"state": func(_ *testscript.TestScript, w *world, args []string) {
			var doc []byte
			eventually(w, func() bool {
				status, err := w.client.Status(w.Context())
				doc, _ = json.Marshal(status)
				for _, pattern := range args {
					if err != nil || !regexp.MustCompile(pattern).Match(doc) {
						return false
					}
				}
				return true
			}, func() string { return fmt.Sprintf("%q is not in %s", args, doc) })
		},
		// leds FILE|dark|lit waits until the LEDs show the letters in a file, or nothing, or something.
		"leds": func(ts *testscript.TestScript, w *world, args []string) {
			ok := func() bool { return w.leds(w) == dark }
			switch args[0] {
			case "dark":
			case "lit":
				ok = func() bool { return lit(w.leds(w)) }
			default:
				want := ts.ReadFile(args[0])
				ok = func() bool { return w.leds(w) == want }
			}
			eventually(w, ok, func() string { return w.leds(w) })
		},
		// alike A B waits until two HATs show the same.
		"alike": func(_ *testscript.TestScript, w *world, args []string) {
			a, b := w.services[args[0]], w.services[args[1]]
			eventually(w, func() bool { return a.leds(w) == b.leds(w) }, func() string {
				return fmt.Sprintf("the LEDs differ:\n%s\n%s", a.leds(w), b.leds(w))
			})
		},
		// limit BYTES|none limits the files that the service writes.
		"limit": func(ts *testscript.TestScript, w *world, args []string) {
			var l unix.Rlimit
			pid := w.running.program.Process.Pid
			ts.Check(unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &l))
			if l.Cur = l.Max; args[0] != "none" {
				l.Cur, _ = strconv.ParseUint(args[0], 10, 64)
			}
			ts.Check(unix.Prlimit(pid, unix.RLIMIT_FSIZE, &l, nil))
		},
		// tty NAME COMMAND [ARG…] starts a program in a terminal; pipe does so with pipes.
		"tty": func(ts *testscript.TestScript, w *world, args []string) {
			w.programs[args[0]] = open(w, scriptEnvironment(ts), inPath(ts, args[1:])...)
		},
		"pipe": func(ts *testscript.TestScript, w *world, args []string) {
			in, out, err := os.Pipe()
			ts.Check(err)
			w.Cleanup(func() { out.Close() })
			p := start(w, in, scriptEnvironment(ts), inPath(ts, args[1:])...)
			in.Close()
			p.in, w.programs[args[0]] = out, p
		},
		// types NAME KEYS; the keys may have escapes.
		"types": func(_ *testscript.TestScript, w *world, args []string) { w.named(args[0]).types(w, args[1]) },
		// shows NAME TEXT… waits for texts, in order: in a terminal since the start, in a pipe after the last ones.
		"shows": func(_ *testscript.TestScript, w *world, args []string) { w.named(args[0]).shows(w, args[1:]...) },
		// redraws NAME TEXT… waits for texts in one picture.
		"redraws": func(_ *testscript.TestScript, w *world, args []string) { w.named(args[0]).redraws(w, args[1:]...) },
		// lacks NAME PATTERN checks that nothing a program has printed matches.
		"lacks": func(ts *testscript.TestScript, w *world, args []string) {
			p := w.named(args[0])
			if found := regexp.MustCompile(args[1]).FindString(p.text() + p.errs.String()); found != "" {
				ts.Fatalf("%q is shown", found)
			}
		},
		// errs NAME TEXT… waits for texts on the standard error of a program in a pipe, or of the service.
		"errs": func(_ *testscript.TestScript, w *world, args []string) {
			for _, text := range args[1:] {
				w.named(args[0]).says(w, text)
			}
		},
		// gone TEXT waits until no process has a text in its arguments.
		"gone": func(_ *testscript.TestScript, w *world, args []string) {
			eventually(w, func() bool { return processes(args[0]) == 0 }, func() string { return fmt.Sprintf("%d processes are left", processes(args[0])) })
		},
		// signal NAME SIGNAL; end NAME closes a pipe; resize NAME ROWS COLUMNS; stall NAME on|off.
		"signal": func(ts *testscript.TestScript, w *world, args []string) {
			ts.Check(w.named(args[0]).Process.Signal(unix.SignalNum("SIG" + args[1])))
		},
		"end": func(ts *testscript.TestScript, w *world, args []string) { ts.Check(w.named(args[0]).in.Close()) },
		"resize": func(_ *testscript.TestScript, w *world, args []string) {
			rows, _ := strconv.Atoi(args[1])
			columns, _ := strconv.Atoi(args[2])
			w.named(args[0]).resize(w, uint16(rows), uint16(columns))
		},
		"stall": func(_ *testscript.TestScript, w *world, args []string) {
			w.named(args[0]).stall.Store(args[1] == "on")
		},
		// ends NAME STATUS waits for the end of a program; a terminal must be restored.
		"ends": func(ts *testscript.TestScript, w *world, args []string) {
			want, err := strconv.Atoi(args[1])
			ts.Check(err)
			w.named(args[0]).ends(w, want)
		},
		// rest N sleeps for milliseconds: an earlier key would be taken for the repeat of a held key.
		"rest": func(_ *testscript.TestScript, _ *world, args []string) {
			n, _ := strconv.Atoi(args[0])
			time.Sleep(time.Duration(n) * time.Millisecond)
		},
		// needs PROGRAM… skips the script if a program is missing.
		"needs": func(_ *testscript.TestScript, w *world, args []string) {
			for _, tool := range args {
				try.Tool(w, tool)
			}
		},
	} {
		all[name] = func(ts *testscript.TestScript, _ bool, args []string) {
			for i, arg := range args {
				if text, err := strconv.Unquote(`"` + strings.ReplaceAll(arg, `"`, `\"`) + `"`); err == nil { // as in \x1b
					args[i] = text
				}
			}
			f(ts, ts.Value("world").(*world), args)
		}
	}
	return all
}

// inPath returns a command with the path of its program, unless that is one of TestMain's.
func inPath(ts *testscript.TestScript, command []string) []string {
	if !strings.HasPrefix(command[0], "c4hat") {
		path, err := exec.LookPath(command[0])
		ts.Check(err)
		command[0] = path
	}
	return command
}

// open starts a program in a new 80×24 terminal. args[0] is a command of TestMain or a path.
func open(t testing.TB, env []string, args ...string) *program {
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
	env = append([]string{"TERM=xterm-256color", "LC_ALL=C.UTF-8", "TMPDIR=" + t.TempDir()}, env...)
	s := newProgram(t, env, args...)
	s.in, s.slave = master, slave
	s.resize(t, 24, 80)
	s.before, err = unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	must(t, err)
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

func (s *program) resize(t testing.TB, rows, columns uint16) {
	t.Helper()
	must(t, unix.IoctlSetWinsize(int(s.slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}))
}

// over matches a move of the cursor, which may stand for a blank that was there before, and escapes any
// sequence for the terminal.
var over, escapes = regexp.MustCompile(`\x1b\[[0-9]+;[0-9]+H`), regexp.MustCompile(`(\x1b\[[0-9;?]*[a-zA-Z]|[▀▄█ ])+`)

// shown returns the end of texts that were printed in order, or -1.
func shown(printed string, texts []string) int {
	end := 0
	for _, text := range texts {
		at := strings.Index(printed[end:], text)
		if at < 0 {
			return -1
		}
		end += at + len(text)
	}
	return end
}

// shows waits until the program has printed texts in order: in a terminal since the start, because a picture draws only
// what changes, otherwise after the last ones.
func (s *program) shows(t testing.TB, texts ...string) {
	t.Helper()
	end := s.waits(t, s.at, texts, func() {})
	if s.slave == nil {
		s.at += end
	}
}

// redraws waits for texts in one picture. It makes the program redraw the whole screen again and
// again: otherwise only changes are drawn, and the texts could be parts of different pictures.
func (s *program) redraws(t testing.TB, texts ...string) {
	t.Helper()
	var asked time.Time
	s.waits(t, len(s.text()), texts, func() {
		if time.Since(asked) > 200*time.Millisecond {
			s.types(t, "\x0c")
			asked = time.Now()
		}
	})
}

// waits waits for texts after a place in the output, and calls again while they are not there. It returns their end.
func (s *program) waits(t testing.TB, from int, texts []string, again func()) (end int) {
	t.Helper()
	why := func() string {
		text := escapes.ReplaceAllString(s.text()[from:], " ")
		return fmt.Sprintf("%q is not shown; the end of what is: %q\n%s", texts, text[max(0, len(text)-2000):], s.errs.String())
	}
	eventually(t, func() bool {
		ended := s.slave != nil && s.ended()
		if ended && !s.stall.Load() {
			s.drain(t)
		}
		switch end = shown(over.ReplaceAllString(s.text()[from:], " "), texts); {
		case end >= 0:
			return true
		case ended:
			t.Fatal("the program has ended: ", why())
		}
		again()
		return false
	}, why)
	return end
}

// ended reports whether the program has ended. Its exit status stays for ends.
func (s *program) ended() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, s.Process.Pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return errors.Is(err, unix.ECHILD) || err == nil && info.Signo == int32(unix.SIGCHLD)
}

func (s *program) types(t testing.TB, keys string) {
	t.Helper()
	time.Sleep(secondTap) // as people do
	_, err := io.WriteString(s.in, keys)
	must(t, err)
}

// mark is what drain writes.
const mark = "<drained>"

// text returns what was printed so far.
func (s *program) text() string { return strings.ReplaceAll(s.out.String(), mark, "") }

// drain waits until all output so far is read.
func (s *program) drain(t testing.TB) {
	t.Helper()
	before := strings.Count(s.out.String(), mark)
	_, err := s.slave.WriteString(mark)
	must(t, err)
	eventually(t, func() bool { return strings.Count(s.out.String(), mark) > before }, func() string { return "the output does not end" })
}

// ends waits for the program to end, checks its exit status, and that a terminal is restored.
func (s *program) ends(t testing.TB, status int) {
	t.Helper()
	_ = s.Wait()
	if got := s.ProcessState.ExitCode(); got != status {
		t.Errorf("exit status %d, want %d:\n%s%s", got, status, s.text(), s.errs.String())
	}
	if s.slave == nil {
		return
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
