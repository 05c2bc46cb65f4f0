package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/front/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "8") // most parallel tests wait for a program that plays at human speed
	testscript.Main(m, map[string]func(){
		"c4hat": main,
		"c4hat-other": func() { // c4hat of another release
			release = "9.9.9"
			main()
		},
		// c4hat with a computer that panics when ? asks for a hint.
		"c4hat-panics": func() {
			newComputer = func() session.Computer { return new(helpless) }
			main()
		},
	})
}

// helpless is a computer that panics instead of giving a hint.
type helpless struct{ computer.Computer }

func (h *helpless) Answer(ctx context.Context, q game.Question, send func(game.Event)) (game.Answered, error) {
	if q.Kind == game.Advise {
		panic("out of ideas\nand words")
	}
	return h.Computer.Answer(ctx, q, send)
}

// TestScripts runs the scripts in testdata.
func TestScripts(t *testing.T) {
	states := memoryDir(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("TMPDIR", env.WorkDir)
			env.Setenv("XDG_STATE_HOME", filepath.Join(states, filepath.Base(env.WorkDir)))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status": status,
		},
	})
}

// memoryDir returns a folder in memory, if there can be one: a disk would wear out, is slow, and holds up
// pictures while other tests keep it busy.
func memoryDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "c4hat")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// status runs a command and checks its exit status: status N COMMAND [ARG…].
func status(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := err.(interface{ ExitCode() int }); ok {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

// c4hat status says which part of a HAT is missing, that a HAT is driven over I²C, and how many bus errors there were.
func TestDevices(t *testing.T) {
	for want, m := range map[string]socket.Machine{
		"matrix found, joystick found":                                                                          {Matrix: true, Joystick: true},
		"matrix found, joystick missing: run c4hat doctor to find out why":                                      {Matrix: true},
		"matrix missing: run c4hat doctor to find out why":                                                      {},
		"matrix found, joystick found\ndriven over /dev/i2c-1, without the kernel driver\nbus errors: 0":        {Matrix: true, Joystick: true, I2C: "/dev/i2c-1"},
		"matrix found, joystick found\na program has borrowed the HAT: up, held for two seconds, takes it back": {Matrix: true, Joystick: true, Lent: true},
		"matrix found, joystick found\nbus errors: 7":                                                           {Matrix: true, Joystick: true, BusErrors: 7},
	} {
		if got := devices(m); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

var must = try.Must

// textLines checks that every line is printable and short.
func textLines(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if line != "\n" {
			try.OneLine(t, strings.TrimSuffix(line, "\n"))
		}
	}
}

// Every match that the history can hold can be printed, counted, and replayed to the same result.
func FuzzReplay(f *testing.F) {
	f.Fuzz(func(t *testing.T, line []byte) {
		var e match.Finished
		if json.Unmarshal(line, &e) != nil {
			return
		}
		var text bytes.Buffer
		must(t, console.Tell(&text, e.Record, console.EachRound))
		must(t, history{matches: []numbered{{1, e, nil}}, of: "here"}.results(&text, false))
		textLines(t, text.String())
		now := time.Unix(0, 0)
		state := game.LookBack(e.Record, now)
		view := state.View(now)
		for next, ok := state.Next(now); ok; next, ok = state.Next(now) {
			now = next
			state.Step(now, game.Tick{})
			view = state.View(now)
		}
		if final := e.Final(); view.Match.Points(board.Red) != final.Points(board.Red) || view.Match.Points(board.Yellow) != final.Points(board.Yellow) {
			t.Fatalf("replayed to %v, want %v", words.Points(view.Match), words.Points(final))
		}
	})
}
