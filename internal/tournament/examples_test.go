//go:build unix

package tournament

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const examples = "../../doc/examples/"

// tool skips a test if the machine does not have a program that the test needs; see .ci/run.
func tool(t *testing.T, name string) {
	t.Helper()
	_, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}

// build runs a compiler, and returns the path of the compiled program.
func build(t *testing.T, compiler string, args ...string) string {
	t.Helper()
	tool(t, compiler)
	program := filepath.Join(t.TempDir(), "bot")
	for i, arg := range args {
		if arg == "OUT" {
			args[i] = program
		}
	}
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// The examples play whole games without a fault, and beat novice.
func TestExamples(t *testing.T) {
	python := func(command string) func(*testing.T) string {
		return func(t *testing.T) string { tool(t, "python3"); return command }
	}
	tests := map[string]struct {
		command func(*testing.T) string
		share   float64 // the least share against novice
	}{
		"bot.py":     {python(examples + "bot.py"), 0.9},
		"kaggle.py":  {python("python3 " + examples + "kaggle.py " + examples + "kaggle_agent.py"), 0.6},
		"aigames.py": {python(examples + "aigames.py " + examples + "aigames_bot.py"), 0},
		"bot.sh":     {func(t *testing.T) string { tool(t, "sh"); return examples + "bot.sh" }, 0},
		"bot.c": {func(t *testing.T) string {
			return build(t, "cc", "-Wall", "-Wextra", "-O2", "-o", "OUT", examples+"bot.c")
		}, 0.9},
		"gobot": {func(t *testing.T) string {
			return build(t, "go", "build", "-o", "OUT", examples+"gobot/main.go")
		}, 0.9},
	}
	files, err := os.ReadDir(examples)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		_, tested := tests[file.Name()]
		if adapted := strings.Contains(file.Name(), "_"); !tested && !adapted {
			t.Errorf("doc/examples/%s is not in this test: add it there", file.Name())
		}
	}
	if testing.Short() {
		t.Skip("the rest starts many interpreters")
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := short
			o.Opening, o.Games, o.MoveTime = 6, 4, time.Minute
			r, table, record := hold(t, o, "novice", "bot="+tt.command(t))
			for _, s := range r.Players {
				if s.Faults > 0 || s.Name == "bot" && s.Share < tt.share {
					t.Errorf("%+v\n%s%s", s, table, record)
				}
			}
		})
	}
}

// The examples that can play on other boards do so without a fault.
func TestExamplesOtherBoard(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many interpreters")
	}
	tool(t, "python3")
	o := short
	o.Rules.Columns, o.Rules.Rows, o.Rules.Connect, o.Opening, o.Games, o.MoveTime = 5, 4, 3, 3, 2, time.Minute
	gobot := build(t, "go", "build", "-o", "OUT", examples+"gobot/main.go")
	r, table, record := hold(t, o, "go="+gobot, "kaggle=python3 "+examples+"kaggle.py "+examples+"kaggle_agent.py",
		"aigames="+examples+"aigames.py "+examples+"aigames_bot.py")
	for _, s := range r.Players {
		if s.Faults > 0 {
			t.Errorf("%+v\n%s%s", s, table, record)
		}
	}
}
