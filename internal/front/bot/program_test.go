//go:build unix

package bot

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"golang.org/x/sys/unix"
)

// The test's binary is also the program that plays: with the arguments "behave NAME" it runs that
// entry of behaviours.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "behave" {
		behaviours[os.Args[2]]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// turns answers every turn.
func turns(answer func(moves string)) {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		answer(in.Text())
	}
}

func say(text string) func(string) { return func(string) { fmt.Print(text) } }

func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

var behaviours = map[string]func(){
	"well":       func() { turns(say("4\n")) },
	"spaces":     func() { turns(say(" 4 \r\n")) },
	"wide":       func() { turns(say(strings.Repeat(" ", longest-1) + "4\n")) },
	"no newline": func() { _, _ = fmt.Scanln(); fmt.Print("4") },
	"environment": func() {
		turns(func(moves string) {
			fmt.Fprintf(os.Stderr, "[%s] %s %s %s\n", moves, os.Getenv("C4HAT_BOARD"), os.Getenv("C4HAT_CONNECT"), os.Getenv("C4HAT_PLAYER"))
			fmt.Println(1)
		})
	},
	"limits": func() {
		turns(func(string) {
			var core, file, data unix.Rlimit
			_ = unix.Getrlimit(unix.RLIMIT_CORE, &core)
			_ = unix.Getrlimit(unix.RLIMIT_FSIZE, &file)
			_ = unix.Getrlimit(unix.RLIMIT_DATA, &data)
			oom, _ := os.ReadFile("/proc/self/oom_score_adj")
			fmt.Fprintln(os.Stderr, core.Cur, file.Cur, data.Cur < 1<<50, strings.TrimSpace(string(oom)))
			fmt.Println(4)
		})
	},
	"plies":      func() { turns(func(moves string) { fmt.Println(len(moves) + 1) }) },
	"exits":      func() {},
	"forgets.py": func() {},
	"fails":      func() { fmt.Fprintln(os.Stderr, "Traceback\nNameError: no \x1b[1mname"); os.Exit(3) },
	"crashes":    func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); forever() },
	"once":       func() { _, _ = fmt.Scanln(); fmt.Println(4); os.Exit(1) },
	"text":       func() { turns(say("thinking...\n")) },
	"empty":      func() { turns(say("\n")) },
	"zero":       func() { turns(say("0\n")) },
	"nine":       func() { turns(say("9\n")) },
	"full":       func() { turns(say("1\n")) },
	"two lines":  func() { turns(say("4\n5\n")) },
	"long line":  func() { _, _ = io.CopyN(os.Stdout, letters{}, 1<<20); forever() },
	"endless":    func() { _, _ = io.Copy(os.Stdout, letters{}) },
	"nothing":    forever,
	"child computes": func() {
		cmd := exec.Command(os.Args[0], "behave", "computes")
		cmd.Stdin = os.Stdin
		_ = cmd.Run()
	},
	"computes":   func() { turns(func(string) { busy(); forever() }) },
	"reads":      func() { turns(func(string) {}) },
	"stubborn":   func() { signal.Ignore(syscall.SIGTERM, syscall.SIGHUP); forever() },
	"closes":     func() { os.Stdout.Close(); forever() },
	"complains":  func() { _, _ = io.CopyN(os.Stderr, letters{}, 1<<30); turns(say("4\n")) },
	"processors": func() { busy(); turns(say("4\n")) },
	"child":      func() { spawn(); turns(say("4\n")) },
	"parent":     func() { spawn() },
	"forks":      func() { fork(); turns(say("4\n")) },
	"client": func() { // runs a program and does nothing else
		p, err := Start(behaves("well"), Options{Rules: board.Standard, Player: board.Red})
		if err != nil {
			panic(err)
		}
		_, _ = p.Choose(background, board.Game{})
		fmt.Println("started")
		forever()
	},
}

// letters is a reader of endless text.
type letters struct{}

func (letters) Read(b []byte) (int, error) {
	return copy(b, strings.Repeat("x", len(b))), nil
}

var background = context.Background()

// behaves returns the command that runs a behaviour.
func behaves(name string) Command {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return Command{text: name, path: self, args: []string{self, "behave", name}}
}

// red are the options of most tests. With patient, a program may take as long as a slow machine needs.
var (
	red     = Options{Rules: board.Standard, Player: board.Red}
	patient = Options{Rules: board.Standard, Player: board.Red, MoveTime: time.Minute}

	empty, _ = board.NewGame(board.Standard, board.Red)
)

// begin starts a behaviour.
func begin(t *testing.T, behaviour string, o Options) *Program {
	t.Helper()
	p, err := Start(behaves(behaviour), o)
	must(t, err)
	return p
}

// mark is the environment variable that marks this test's processes.
const mark = "C4HAT_TEST_PROCESS"

// spawn starts a process that does nothing, never ends, and ignores most signals.
func spawn() {
	cmd := exec.Command(os.Args[0], "behave", "stubborn")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr // holds them open
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

// fork starts processes that start others and end.
func fork() {
	for range 20 {
		cmd := exec.Command(os.Args[0], "behave", "parent")
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

// marked marks the processes that the test starts, and returns a function that lists those that are
// left.
func marked(t *testing.T) (left func() []string) {
	value := fmt.Sprint(t.Name(), os.Getpid())
	t.Setenv(mark, value)
	return func() []string { return having(value) }
}

// having lists the processes with the mark, other than this one.
func having(value string) (all []string) {
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

// gone waits until no process is left; a signal that kills takes a moment.
func gone(t *testing.T, left func() []string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); len(left()) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("left after a minute: %q", left())
		}
	}
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
		{"wide", ""},
		{"no newline", "ended with exit status 0 before it answered"},
		{"exits", "ended with exit status 0 before it answered"},
		{"forgets.py", "ended with exit status 0 before it answered: it must call run(choose) at its end, or answer each line in a loop"},
		{"fails", "ended with exit status 3: NameError: no [1mname"},
		{"crashes", "ended with signal: killed"},
		{"once", "ended with exit status 1"},
		{"text", `answered "thinking...", which is no column from 1 to 7` + aside},
		{"empty", `answered "", which is no column from 1 to 7` + aside},
		{"zero", `answered "0", which is no column from 1 to 7`},
		{"nine", `answered "9", which is no column from 1 to 7`},
		{"full", "answered column 1, which is full"},
		{"two lines", "answered more than one line in a turn" + aside},
		{"long line", `wrote a line of more than 128 bytes, which begins "` + strings.Repeat("x", 64) + `" and so on`},
		{"endless", `wrote a line of more than 128 bytes, which begins "` + strings.Repeat("x", 64) + `" and so on`},
		{"reads", "gave no answer within 100ms"},
		{"computes", "gave no answer within 100ms"},
		{"nothing", "gave no answer within 100ms"},
		{"stubborn", "gave no answer within 100ms"},
		{"closes", "gave no answer within 100ms"},
		{"processors", ""},
		{"child", ""},
		{"forks", ""},
	} {
		t.Run(tt.behaviour, func(t *testing.T) {
			left := marked(t)
			before := descriptors()
			o := patient
			if strings.HasPrefix(tt.want, "gave no answer") {
				o.MoveTime = 100 * time.Millisecond
			}
			p := begin(t, tt.behaviour, o)
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
				gone(t, left)
			}
		})
	}
}

// A line that comes before the program is asked is an answer too many.
func TestEarly(t *testing.T) {
	p := &Program{answers: make(chan answer, 1)}
	p.answers <- answer{text: "4"}
	if _, err := p.Choose(t.Context(), board.Game{}); err != errMore {
		t.Error(err)
	}
}

// The first answer may take longer than a later one.
func TestSlowStart(t *testing.T) {
	o := red
	o.MoveTime, o.StartTime = time.Nanosecond, time.Minute
	p := begin(t, "well", o)
	defer p.Close()
	if col, err := p.Choose(t.Context(), empty); col != 3 || err != nil {
		t.Errorf("column %d, %v", col+1, err)
	}
	p.asked, p.owes = "", true // an answer that never comes
	if _, err := p.Choose(t.Context(), empty); !errors.Is(err, ErrLate) {
		t.Error(err)
	}
}

// A clock counts what a program uses and how long it sleeps, not how long it waits for the processor.
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

// A program may write a gibibyte to its standard error: the end is kept, the start is logged, and
// the program plays on.
func TestComplaints(t *testing.T) {
	var log counter
	p := begin(t, "complains", Options{Rules: board.Standard, Player: board.Red, Log: &log})
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
	p := begin(t, "environment", Options{Rules: board.FullMatrix, Player: board.Yellow})
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
	p := begin(t, "nothing", Options{Rules: board.Standard, Player: board.Red, MoveTime: time.Hour})
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
	p := begin(t, "plies", patient)
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
		must(t, err)
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
		must(t, os.WriteFile(name, []byte(text), mode))
	}
	write("bot.py", "print(4)\n", 0o755)
	write("closed.py", "#!/bin/sh\n", 0o644)
	write("board.py", "class Board:\n", 0o644)
	write("other", "\x7fELF\x00", 0o755)
	write("windows.sh", "#!/bin/sh\r\n", 0o755)
	write("no such.py", "#!/no/such/interpreter\n", 0o755)
	write("env.py", "#!/usr/bin/env no-such-python3\n", 0o755)
	for command, want := range map[string]string{
		"":                      "there is no command: write one, as in ./bot.py",
		"  ":                    "there is no command: write one, as in ./bot.py",
		"./missing.py --fast":   "./missing.py: no such file",
		"no-such-command":       "no-such-command: command not found",
		"bot.py":                "bot.py is no command; a file in this folder is ./bot.py",
		"./closed.py":           "./closed.py is not executable: chmod +x ./closed.py",
		"./board.py":            "./board.py is not executable: chmod +x ./board.py",
		"./other":               "./other: exec format error",
		"./bot.py":              "./bot.py: its first line must name its language, as in #!/usr/bin/env python3",
		"./windows.sh":          `./windows.sh has Windows line ends: sed -i 's/\r$//' ./windows.sh`,
		"./no such.py":          "./no such.py: its first line names /no/such/interpreter, which is not on this machine",
		"./env.py":              "./env.py: its first line names no-such-python3, which is not on this machine",
		dir:                     dir + " is a folder: name the programs in it, as in " + filepath.Join(dir, "*.py"),
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
