//go:build unix

package bot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
)

var background = context.Background()

// behaves returns the command that runs a behaviour.
func behaves(name string) Command {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return Command{text: name, path: self, args: []string{self, "behave", name}}
}

// mark is the environment variable that marks this test's processes.
const mark = "C4HAT_TEST_PROCESS"

// spawn starts a process that does nothing, never ends, and ignores most signals.
func spawn(attr *syscall.SysProcAttr) {
	cmd := exec.Command(os.Args[0], "behave", "stubborn")
	cmd.SysProcAttr = attr
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr // holds them open
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

// fork starts processes, each in a separate session, that start others.
func fork() {
	for range 20 {
		cmd := exec.Command(os.Args[0], "behave", "orphan")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Run(); err != nil {
			panic(err)
		}
	}
}

// busy keeps all processors busy.
func busy() {
	for range runtime.NumCPU() {
		go func() {
			for n := 0; ; n++ {
				_ = n
			}
		}()
	}
}

// left lists the processes with the mark, other than this one.
func left(value string) (all []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		pid := filepath.Base(filepath.Dir(file))
		environ, _ := os.ReadFile(file)
		if strings.Contains(string(environ), mark+"="+value+"\x00") && pid != fmt.Sprint(os.Getpid()) {
			command, _ := os.ReadFile("/proc/" + pid + "/cmdline")
			all = append(all, pid+" "+strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return all
}

// descriptors returns how many files this process has open.
func descriptors() int {
	files, _ := os.ReadDir("/proc/self/fd")
	return len(files)
}

// The error says what each program did wrong, and no process and no open file is left of it.
func TestMisbehaviour(t *testing.T) {
	first, _ := board.ParseGame(board.Standard, board.Red, "111111") // column 1 is full
	second := first
	_ = second.Play(3)
	_ = second.Play(4)
	for _, tt := range []struct {
		behaviour string
		want      string // the error in its first two turns; empty: it plays both
	}{
		{"well", ""},
		{"spaces", ""},
		{"no newline", "ended with exit status 0"},
		{"exits", "ended with exit status 0"},
		{"fails", "ended with exit status 3: NameError: no [1mname"},
		{"crashes", "ended with signal 9 (killed)"},
		{"once", "ended with exit status 1"},
		{"text", `answered "thinking...", which is no column from 1 to 7`},
		{"empty", `answered "", which is no column from 1 to 7`},
		{"zero", `answered "0", which is no column from 1 to 7`},
		{"nine", `answered "9", which is no column from 1 to 7`},
		{"full", "answered column 1, which is full"},
		{"two lines", "answered more than one line in a turn"},
		{"early", "answered more than one line in a turn"},
		{"long line", `wrote a line of more than 128 bytes, which begins "` + strings.Repeat("x", 64) + `" and so on`},
		{"endless", `wrote a line of more than 128 bytes, which begins "` + strings.Repeat("x", 64) + `" and so on`},
		{"nothing", "gave no answer within 100ms"},
		{"deaf", "gave no answer within 100ms"},
		{"stubborn", "gave no answer within 100ms"},
		{"closes", "closed its output"},
		{"processors", ""},
		{"child", ""},
		{"session", ""},
		{"orphan", "ended with exit status 0"},
		{"forks", ""},
	} {
		t.Run(tt.behaviour, func(t *testing.T) {
			t.Setenv(mark, tt.behaviour)
			before := descriptors()
			o := Options{Rules: board.Standard, Player: board.Red, MoveTime: time.Minute} // however slow the machine is
			if strings.HasPrefix(tt.want, "gave no answer") {
				o.MoveTime = 100 * time.Millisecond
			}
			p, err := Start(behaves(tt.behaviour), o)
			if err != nil {
				t.Fatal(err)
			}
			if tt.behaviour == "early" {
				time.Sleep(100 * time.Millisecond) // only a line that has arrived is known to be early
			}
			said := ""
			for _, g := range []board.Game{first, second} {
				col, err := p.Choose(t.Context(), g)
				if err != nil {
					said = err.Error()
					break
				}
				if col != 3 {
					t.Errorf("plays column %d", col+1)
				}
			}
			if said != tt.want {
				t.Errorf("said %q, want %q", said, tt.want)
			}
			p.Close()
			if now := descriptors(); now != before {
				t.Errorf("%d descriptors, %d before", now, before)
			}
			if runtime.GOOS == "linux" {
				if rest := left(tt.behaviour); len(rest) > 0 {
					t.Errorf("left: %q", rest)
				}
			}
		})
	}
}

// A program may write a gibibyte to its standard error: the end is kept, the start is logged, and
// the program plays on.
func TestComplaints(t *testing.T) {
	var log counter
	p, err := Start(behaves("complains"), Options{Rules: board.Standard, Player: board.Red, Log: &log})
	if err != nil {
		t.Fatal(err)
	}
	if col, err := p.Choose(t.Context(), board.Game{}); err == nil {
		t.Error("the zero game has no columns, but it plays", col)
	}
	text := p.Close()
	if len(text) < keptMost || len(text) > keptMost+10 || log > logMost+100 {
		t.Errorf("%d bytes kept, %d logged", len(text), log)
	}
}

type counter int

func (c *counter) Write(b []byte) (int, error) { *c += counter(len(b)); return len(b), nil }

func TestEnvironment(t *testing.T) {
	p, err := Start(behaves("environment"), Options{Rules: board.FullMatrix, Player: board.Yellow})
	if err != nil {
		t.Fatal(err)
	}
	g, _ := board.ParseGame(board.FullMatrix, board.Yellow, "4453")
	for range 2 {
		if col, err := p.Choose(t.Context(), g); col != 0 || err != nil {
			t.Errorf("column %d, %v", col+1, err)
		}
		_ = g.Play(0)
	}
	if text := p.Close(); text != "[4453] 8x8 4 blue\n[44531] 8x8 4 blue" {
		t.Errorf("%q", text)
	}
}

func TestChooseCancelled(t *testing.T) {
	p, err := Start(behaves("nothing"), Options{Rules: board.Standard, Player: board.Red, MoveTime: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	cause := errors.New("Ctrl-C")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(10*time.Millisecond, func() { cancel(cause) })
	if _, err := p.Choose(ctx, board.Game{}); err != cause {
		t.Error(err)
	}
}

// If Choose is cancelled, the program's late answer is used if Choose is called again for the same
// moves, and dropped otherwise.
func TestChooseAgain(t *testing.T) {
	p, err := Start(behaves("plies"), Options{Rules: board.Standard, Player: board.Red, MoveTime: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		ctx   context.Context
		moves string
		want  int
	}{
		{over, "44", 0}, {t.Context(), "4433", 5}, {t.Context(), "44332", 6}, {over, "4", 0}, {over, "4", 0}, {t.Context(), "4", 2}, {t.Context(), "", 1},
	} {
		g, err := board.ParseGame(board.Standard, board.Red, tt.moves)
		if err != nil {
			t.Fatal(err)
		}
		col, err := p.Choose(tt.ctx, g)
		if tt.want == 0 && err != nil {
			continue // it may also have answered at once
		}
		if err != nil || col+1 != len(tt.moves)+1 {
			t.Errorf("%q: column %d, %v, want %d", tt.moves, col+1, err, tt.want)
		}
	}
}

// The error for a command that cannot be started says how to fix it.
func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string, mode os.FileMode) {
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("bot.py", "print(4)\n", 0o755)
	write("closed.py", "#!/bin/sh\n", 0o644)
	write("windows.py", "#!/usr/bin/env python3\r\n", 0o755)
	write("no such.py", "#!/no/such/interpreter\n", 0o755)
	for command, want := range map[string]string{
		"":                      "want a command, as in ./bot.py",
		"  ":                    "want a command, as in ./bot.py",
		"./missing.py --fast":   "./missing.py: no such file",
		"no-such-command":       "no-such-command: command not found",
		"bot.py":                "bot.py is no command; a file in this folder is ./bot.py",
		"./closed.py":           "./closed.py is not executable: chmod +x ./closed.py",
		"./bot.py":              "./bot.py: its first line must name its language, as in #!/usr/bin/env python3",
		"./no such.py":          "./no such.py: the program that its first line names is not there (does the line end in CR LF, as on Windows?)",
		dir:                     dir + ": is a directory",
		"./bot.py/x --and more": "./bot.py/x: not a directory",
	} {
		before := descriptors()
		c, err := ParseCommand(command)
		if err == nil {
			var p *Program
			if p, err = Start(c, Options{Rules: board.Standard, Player: board.Red}); err == nil {
				p.Close()
			}
		}
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", command, err, want)
		}
		if now := descriptors(); now != before {
			t.Errorf("%q: %d descriptors, %d before", command, now, before)
		}
	}
	c, err := ParseCommand("go version")
	if err != nil || c.String() != "go version" || len(c.args) != 2 {
		t.Errorf("%+v, %v", c, err)
	}
}
