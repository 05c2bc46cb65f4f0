package main

import (
	"encoding/json"
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

	"github.com/rogpeppe/go-internal/testscript"
)

// TestSessions runs the scripts in testdata/sessions: people who use the service, terminals and pipes at the
// same time. Their commands are below.
func TestSessions(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/sessions",
		Setup: func(env *testscript.Env) error {
			w := &world{TB: env.T().(testing.TB), pipes: map[string]*spoken{}, terminals: map[string]*terminal{}}
			env.Values["world"] = w
			env.Setenv("TERM", "xterm-256color")
			env.Setenv("TMPDIR", env.WorkDir)
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
			return nil
		},
		Cmds: scripted,
	})
}

// world is what a script has started.
type world struct {
	testing.TB
	*running  // the service; nil before serve
	pipes     map[string]*spoken
	terminals map[string]*terminal
}

// spoken is a program whose input and output are pipes.
type spoken struct {
	*program
	in io.WriteCloser
	at int // end of the output that says has matched
}

func command(f func(ts *testscript.TestScript, w *world, args []string)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		for i, arg := range args {
			if text, err := strconv.Unquote(`"` + strings.ReplaceAll(arg, `"`, `\"`) + `"`); err == nil { // as in \x1b
				args[i] = text
			}
		}
		f(ts, ts.Value("world").(*world), args)
	}
}

var keys = map[string]uint16{"up": keyUp, "down": keyDown, "left": keyLeft, "right": keyRight, "enter": keyEnter}

var signals = map[string]syscall.Signal{
	"HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT, "TERM": syscall.SIGTERM,
	"KILL": syscall.SIGKILL, "STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT,
}

// program returns a program by its name; service is the service.
func (w *world) named(name string) *program {
	switch {
	case name == "service":
		return w.running.program
	case w.terminals[name] != nil:
		return w.terminals[name].program
	case w.pipes[name] == nil:
		w.Fatalf("nothing has the name %s", name)
	}
	return w.pipes[name].program
}

// scriptEnvironment returns the variables of a script that programs get.
func scriptEnvironment(ts *testscript.TestScript) (env []string) {
	for _, name := range []string{"XDG_STATE_HOME", "TERM", "LC_ALL", "NO_COLOR", "HISTFILE", "TMPDIR"} {
		if value := ts.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

var scripted = map[string]func(*testscript.TestScript, bool, []string){
	"status": status,
	// serve [FLAG…] starts the service, halt ends it, crash kills it, and restart starts it again.
	"serve": command(func(ts *testscript.TestScript, w *world, args []string) {
		w.running = newRunning(w, args...)
		w.start(w)
		for name, value := range map[string]string{"SOCKET": w.socket, "FB": w.fb, "STICK": w.stick, "STATE": w.running.state} {
			ts.Setenv(name, value)
		}
	}),
	"restart": command(func(_ *testscript.TestScript, w *world, _ []string) { w.start(w) }),
	"halt":    command(func(_ *testscript.TestScript, w *world, _ []string) { w.stop(w) }),
	"crash":   command(func(_ *testscript.TestScript, w *world, _ []string) { w.kill(w) }),
	// tap KEY… presses keys of the joystick.
	"tap": command(func(_ *testscript.TestScript, w *world, args []string) {
		for _, key := range args {
			w.tap(w, keys[key])
		}
	}),
	// aims [MOVES] waits until the moves are played and saved, and the next disc may be dropped.
	"aims": command(func(_ *testscript.TestScript, w *world, args []string) { w.aims(w, strings.Join(args, "")) }),
	// state PATTERN… waits until the JSON of GET /v1/status matches.
	"state": command(func(_ *testscript.TestScript, w *world, args []string) {
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
	}),
	// leds FILE|dark|lit waits until the LEDs show the letters in a file, or nothing, or something.
	"leds": command(func(ts *testscript.TestScript, w *world, args []string) {
		switch args[0] {
		case "lit":
			w.lights(w)
		case "dark":
			eventually(w, func() bool { return w.leds(w) == dark }, func() string { return unpacked(w.leds(w)) })
		default:
			want := ts.ReadFile(args[0])
			eventually(w, func() bool { return unpacked(w.leds(w)) == want }, func() string { return unpacked(w.leds(w)) })
		}
	}),
	// tty NAME COMMAND [ARG…] starts a program in a terminal; pipe does so with pipes.
	"tty": command(func(ts *testscript.TestScript, w *world, args []string) {
		if !strings.HasPrefix(args[1], "c4hat") {
			path, err := exec.LookPath(args[1])
			ts.Check(err)
			args[1] = path
		}
		w.terminals[args[0]] = open(w, scriptEnvironment(ts), args[1:]...)
	}),
	"pipe": command(func(ts *testscript.TestScript, w *world, args []string) {
		in, out, err := os.Pipe()
		ts.Check(err)
		p := newProgram(w, scriptEnvironment(ts), args[1:]...)
		p.Stdin = in
		p.begin(w)
		in.Close()
		w.Cleanup(func() { out.Close() })
		w.pipes[args[0]] = &spoken{program: p, in: out}
	}),
	// types NAME KEYS; the keys may have escapes.
	"types": command(func(ts *testscript.TestScript, w *world, args []string) {
		if s := w.terminals[args[0]]; s != nil {
			s.types(w, args[1])
			return
		}
		_, err := io.WriteString(w.pipes[args[0]].in, args[1])
		ts.Check(err)
	}),
	// shows NAME TEXT… waits for texts, in order: in a terminal since the start, in a pipe after the last ones.
	"shows": command(func(_ *testscript.TestScript, w *world, args []string) {
		if s := w.terminals[args[0]]; s != nil {
			s.shows(w, args[1:]...)
			return
		}
		s := w.pipes[args[0]]
		for _, text := range args[1:] {
			eventually(w, func() bool { return strings.Contains(s.out.String()[s.at:], text) }, func() string {
				return fmt.Sprintf("no %q after %q:\n%s\n%s", text, s.out.String()[:s.at], s.out.String()[s.at:], s.errs.String())
			})
			s.at += strings.Index(s.out.String()[s.at:], text) + len(text)
		}
	}),
	// redraws NAME TEXT… waits for texts in one picture.
	"redraws": command(func(_ *testscript.TestScript, w *world, args []string) { w.terminals[args[0]].redraws(w, args[1:]...) }),
	// lacks NAME PATTERN checks that nothing in a terminal matches.
	"lacks": command(func(ts *testscript.TestScript, w *world, args []string) {
		if found := regexp.MustCompile(args[1]).FindString(w.terminals[args[0]].text()); found != "" {
			ts.Fatalf("%q is shown", found)
		}
	}),
	// errs NAME TEXT waits for a text on the standard error of a program in a pipe, or of the service.
	"errs": command(func(_ *testscript.TestScript, w *world, args []string) { w.named(args[0]).says(w, args[1]) }),
	// signal NAME SIGNAL; end NAME closes a pipe; resize NAME ROWS COLUMNS; stall NAME on|off.
	"signal": command(func(ts *testscript.TestScript, w *world, args []string) {
		ts.Check(w.named(args[0]).Process.Signal(signals[args[1]]))
	}),
	"end": command(func(ts *testscript.TestScript, w *world, args []string) { ts.Check(w.pipes[args[0]].in.Close()) }),
	"resize": command(func(_ *testscript.TestScript, w *world, args []string) {
		rows, _ := strconv.Atoi(args[1])
		columns, _ := strconv.Atoi(args[2])
		w.terminals[args[0]].resize(w, uint16(rows), uint16(columns))
	}),
	"stall": command(func(_ *testscript.TestScript, w *world, args []string) {
		w.terminals[args[0]].stall.Store(args[1] == "on")
	}),
	// ends NAME STATUS waits for the end of a program; a terminal must be restored.
	"ends": command(func(ts *testscript.TestScript, w *world, args []string) {
		want, err := strconv.Atoi(args[1])
		ts.Check(err)
		if s := w.terminals[args[0]]; s != nil {
			s.ends(w, want)
			return
		}
		p := w.named(args[0])
		_ = p.Wait()
		if got := p.ProcessState.ExitCode(); got != want {
			ts.Fatalf("exit status %d, want %d:\n%s%s", got, want, p.out.String(), p.errs.String())
		}
	}),
	// rest N sleeps for milliseconds: an earlier key would be taken for the repeat of a held key.
	"rest": command(func(_ *testscript.TestScript, _ *world, args []string) {
		n, _ := strconv.Atoi(args[0])
		time.Sleep(time.Duration(n) * time.Millisecond)
	}),
}
