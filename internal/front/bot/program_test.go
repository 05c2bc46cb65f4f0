//go:build unix

package bot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
)

// The test's binary is also a client that runs a program and does nothing else: with the arguments "client PROGRAM".
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "client" {
		c, err := ParseCommand(os.Args[2])
		if err != nil {
			panic(err)
		}
		p, err := Start(c, red)
		if err != nil {
			panic(err)
		}
		_, _ = p.Choose(context.Background(), empty)
		fmt.Println("started")
		<-p.ended
	}
	os.Exit(m.Run())
}

// red are the options of most tests. With patient, a program may take as long as a slow machine needs.
var (
	red     = Options{Rules: board.Standard, Player: board.Red}
	patient = Options{Rules: board.Standard, Player: board.Red, MoveTime: time.Minute}

	empty, _ = board.NewGame(board.Standard, board.Red)
)

// script returns the command of a shell script.
func script(t *testing.T, text string) Command {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bot.sh")
	must(t, os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o777))
	c, err := ParseCommand(file)
	must(t, err)
	return c
}

// begin starts a shell script.
func begin(t *testing.T, text string, o Options) *Program {
	t.Helper()
	p, err := Start(script(t, text), o)
	must(t, err)
	return p
}

// Parts of scripts.
const (
	well     = "while read m; do echo 4; done"
	forever  = "while :; do sleep 1000; done"
	computes = "read m; while :; do :; done"
	letters  = "yes | tr '\\ny' xx" // endless text
)

// The script's processes have this variable.
const mark = "C4HAT_TEST_PROCESS"

// marked marks the processes that the test starts, and returns a function that lists those that are left.
func marked(t *testing.T) (left func() []string) {
	value := fmt.Sprint(t.Name(), os.Getpid())
	t.Setenv(mark, value)
	return func() (all []string) {
		files, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, file := range files {
			environ, _ := os.ReadFile(file)
			if strings.Contains(string(environ), mark+"="+value+"\x00") && file != fmt.Sprintf("/proc/%d/environ", os.Getpid()) {
				command, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
				all = append(all, file+" "+strings.ReplaceAll(string(command), "\x00", " "))
			}
		}
		return all
	}
}

// until waits for a condition, at most a minute.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// gone waits until no process is left; a signal that kills takes a moment.
func gone(t *testing.T, left func() []string) {
	t.Helper()
	until(t, "processes are left", func() bool { return len(left()) == 0 })
}

// descriptors returns how many files this process has open.
func descriptors() int {
	files, _ := os.ReadDir("/proc/self/fd")
	return len(files)
}

// The error says what each program did wrong, and no process and no open file is left of it.
func TestMisbehaviour(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for programs that hang")
	}
	first, _ := board.ParseGame(board.Standard, board.Red, "111111") // column 1 is full
	second := first
	_ = second.Play(3)
	_ = second.Play(4)
	const late, ended = "gave no answer within 100ms", "ended with exit status 0 before it answered"
	long := fmt.Sprintf(`answered "%s" and so on, which is no column from 1 to 7`+aside, strings.Repeat("x", 64))
	for _, tt := range []struct {
		script string
		want   string // the error in its first two turns; empty: it plays both
		wrote  string // to its standard error
	}{
		{well, "", ""},
		{`while read m; do printf ' 4 \r\n'; done`, "", ""},
		{fmt.Sprintf("while read m; do printf '%%%ds\n' 4; done", longest), "", ""},
		{"read m; printf 4", ended, ""},
		{"exit", ended, ""},
		{": bot.py", ended, ""},
		{`printf 'Traceback\nNameError: no \033[1mname' >&2; exit 3`, "ended with exit status 3: NameError: no [1mname", "Traceback\nNameError: no [1mname"},
		{"kill -9 $$", "ended with signal: killed", ""},
		{"read m; echo 4; exit 1", "ended with exit status 1", ""},
		{"while read m; do echo thinking...; done", `answered "thinking...", which is no column from 1 to 7` + aside, ""},
		{"while read m; do echo; done", `answered "", which is no column from 1 to 7` + aside, ""},
		{"while read m; do echo 0; done", `answered "0", which is no column from 1 to 7`, ""},
		{"while read m; do echo 9; done", `answered "9", which is no column from 1 to 7`, ""},
		{"while read m; do echo 1; done", "answered column 1, which is full", ""},
		{`while read m; do printf '4\n5\n'; done`, errMore.Error(), ""},
		{`printf 'move? '; while read m; do printf '4\nmove? '; done`, `answered "move? 4", which is no column from 1 to 7` + aside, ""},
		{"head -c 1000000 /dev/zero | tr '\\0' x; " + forever, long, ""},
		{letters, long, ""},
		{fmt.Sprintf("read m; printf '%%%ds\n' 4; read m", longest+1), fmt.Sprintf(`answered "%64s" and so on, which is no column from 1 to 7`+aside, ""), ""},
		{"while read m; do :; done", late, ""},
		{computes, late, ""},
		{forever, late, ""},
		{"trap '' TERM HUP; " + forever, late, ""},
		{"exec >&-; " + forever, late, ""},
		{"yes >/dev/null & yes >/dev/null & " + well, "", ""}, // keeps the processors busy
		{"(trap '' TERM HUP; sleep 1000) & " + well, "", ""},  // its child holds the output open
		{"for i in 1 2 3 4 5 6 7 8; do sh -c 'sleep 1000 & sleep 1000 &'; done; " + well, "", ""}, // its children have lost their parents
		{"read m; echo $m $C4HAT_BOARD $C4HAT_CONNECT $C4HAT_PLAYER >&2; echo 4; " + well, "", "111111 7x6 4 red"},
	} {
		t.Run(tt.script, func(t *testing.T) {
			left, before, o := marked(t), descriptors(), patient
			if tt.want == late {
				o.MoveTime = 100 * time.Millisecond
			}
			p := begin(t, tt.script, o)
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
			if wrote := p.Close(); wrote != tt.wrote {
				t.Errorf("wrote %q, want %q", wrote, tt.wrote)
			}
			if now := descriptors(); now != before {
				t.Errorf("%d descriptors, %d before", now, before)
			}
			if runtime.GOOS == "linux" {
				gone(t, left)
			}
		})
	}
}

// A program that ends without an answer may have forgotten the last line of the course's lessons.
func TestForgotten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "forgets.py")
	must(t, os.WriteFile(file, []byte("#!/bin/sh\n"), 0o777))
	p, err := Start(Command{text: file, path: file, args: []string{file}}, red)
	must(t, err)
	defer p.Close()
	if _, err := p.Choose(t.Context(), empty); err == nil || !strings.HasSuffix(err.Error(), "before it answered: it must call run(choose) at its end, or answer each line in a loop") {
		t.Error(err)
	}
}

// A line that comes before the program is asked is an answer too many.
func TestEarly(t *testing.T) {
	p := begin(t, "read m", red)
	defer p.Close()
	p.answers.lines = make(chan answer, 1)
	p.answers.lines <- answer{text: "4"}
	if _, err := p.Choose(t.Context(), empty); err != errMore {
		t.Error(err)
	}
}

// The first answer may take longer than a later one. Without an answer, Choose ends with the context.
func TestSlowStart(t *testing.T) {
	o := red
	o.MoveTime, o.StartTime = time.Nanosecond, time.Minute
	p := begin(t, "read m; echo 4; while read m; do :; done", o)
	defer p.Close()
	if col, err := p.Choose(t.Context(), empty); col != 3 || err != nil {
		t.Errorf("column %d, %v", col+1, err)
	}
	if _, err := p.Choose(t.Context(), empty); !errors.Is(err, ErrLate) {
		t.Error(err)
	}
	cause := errors.New("Ctrl-C")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(10*time.Millisecond, func() { cancel(cause) })
	p.MoveTime = time.Hour
	if _, err := p.Choose(ctx, empty); err != cause {
		t.Error(err)
	}
}

// A program that waits for the processor has more time.
func TestClock(t *testing.T) {
	const tenth = 100 * time.Millisecond
	for name, tt := range map[string]struct {
		used      time.Duration // in each tenth
		awake     bool
		intervals int // until it is late
	}{
		"computes on an idle machine": {tenth, true, 10},
		"sleeps":                      {0, false, 10},
		"computes with two threads":   {2 * tenth, true, 10},
		"gets half the processor":     {tenth / 2, true, 19},
		"gets no processor":           {0, true, 100},
	} {
		c, u, n := clock{limit: time.Second, every: tenth}, usage{5 * time.Second, tt.awake, 1}, 1
		for ; !c.late(u); n++ {
			u.used += tt.used
		}
		if n != tt.intervals {
			t.Errorf("%s: late after %d intervals", name, n)
		}
	}
}

// A program may write a lot to its standard error: the end is kept, the start is logged, and the program plays on.
func TestComplaints(t *testing.T) {
	var log counter
	p := begin(t, "head -c 300000000 /dev/zero | tr '\\0' x >&2; "+well, Options{Rules: board.Standard, Player: board.Red, Log: &log})
	if col, err := p.Choose(t.Context(), empty); col != 3 || err != nil {
		t.Errorf("column %d, %v", col+1, err)
	}
	if text := p.Close(); len(text) < keptMost || len(text) > keptMost+10 || log > logMost+100 {
		t.Errorf("%d bytes kept, %d logged", len(text), log)
	}
}

type counter int

func (c *counter) Write(b []byte) (int, error) { *c += counter(len(b)); return len(b), nil }

// The error for a command that cannot be started says how to fix it.
func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string, mode os.FileMode) {
		must(t, os.WriteFile(name, []byte(text), mode))
	}
	write("bot.py", "print(4)\n", 0o755)
	write("closed.py", "#!/bin/sh\n", 0o644)
	write("board.py", "class Board:\n", 0o644)
	write("other", "\x7fELF\x00", 0o755)
	write("windows.sh", "#!/bin/sh\r\n", 0o755)
	write("mark.sh", "\ufeff#!/bin/sh\n", 0o755)
	write("no such.py", "#!/no/such/interpreter\n", 0o755)
	for command, want := range map[string]string{
		"":                      "there is no command: write one, as in ./bot.py",
		"  ":                    "there is no command: write one, as in ./bot.py",
		"./missing.py --fast":   "./missing.py: no such file",
		"no-such-command":       "no-such-command: command not found",
		"bot.py":                "bot.py is no command; for the file here, type ./bot.py",
		"./closed.py":           "./closed.py is not executable: chmod +x './closed.py'",
		"./board.py":            "./board.py is not executable: chmod +x './board.py'",
		"./other":               "./other: exec format error",
		"./bot.py":              "./bot.py: its first line must name its language, as in #!/usr/bin/env python3",
		"./windows.sh":          `./windows.sh is a Windows text file: sed -i '1s/^\xEF\xBB\xBF//; s/\r$//' './windows.sh'`,
		"./mark.sh":             `./mark.sh is a Windows text file: sed -i '1s/^\xEF\xBB\xBF//; s/\r$//' './mark.sh'`,
		"./no such.py":          "./no such.py: its first line names a language that is not on this machine",
		dir:                     dir + " is a folder: name a program in it, as in " + filepath.Join(dir, "bot.py"),
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
