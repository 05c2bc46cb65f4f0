//go:build unix

package tournament

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/try"
)

// The examples play whole games without a fault, and beat novice. Those that can play on other boards do so too.
func TestExamples(t *testing.T) {
	t.Chdir(examples)
	tests := map[string]struct {
		tool    string
		command string  // one with OUT builds a program; empty: it is none
		share   float64 // the least share against novice
		others  bool    // it can play on other boards
	}{
		"aigames.py":                  {"python3", "./aigames.py ./aigames_bot.py", 0, true},
		"bot.c":                       {"cc", "cc -Wall -Wextra -O2 -o OUT bot.c", 0.9, false},
		"bot.js":                      {"node", "./bot.js", 0.5, false},
		"bot.py":                      {"python3", "./bot.py", 0.9, false},
		"bot.sh":                      {"sh", "./bot.sh", 0, false},
		"gobot":                       {"go", "go build -o OUT gobot/main.go", 0.9, true},
		"kaggle.py":                   {"python3", "python3 kaggle.py kaggle_agent.py", 0.5, true},
		"python/board.py":             {},
		"python/lesson1_random.py":    {"python3", "python/lesson1_random.py", 0, true},
		"python/lesson2_ahead.py":     {"python3", "python/lesson2_ahead.py", 0.5, false},
		"python/lesson3_minimax.py":   {"python3", "python/lesson3_minimax.py", 0.5, false},
		"python/lesson4_alphabeta.py": {"python3", "python/lesson4_alphabeta.py", 0.6, false},
	}
	files, _ := filepath.Glob("*")
	more, _ := filepath.Glob("python/*.py")
	for _, file := range append(files, more...) {
		_, tested := tests[file]
		if !tested && !slices.Contains([]string{"kaggle_agent.py", "aigames_bot.py", "python"}, file) {
			t.Errorf("doc/examples/%s is not in this test: add it there", file)
		}
	}
	if testing.Short() {
		t.Skip("the rest starts many interpreters")
	}
	for name, tt := range tests {
		if tt.command == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			try.Tool(t, tt.tool)
			command := tt.command
			if strings.Contains(command, "OUT") {
				program := filepath.Join(t.TempDir(), "bot")
				args := strings.Fields(strings.Replace(command, "OUT", program, 1))
				if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil || len(out) > 0 {
					t.Fatalf("%v\n%s", err, out)
				}
				command = program
			}
			for _, rules := range []board.Rules{board.Standard, {Columns: 5, Rows: 4, Connect: 3}} {
				if rules != board.Standard && !tt.others {
					continue
				}
				o := short
				o.Rules, o.Opening, o.Games, o.MoveTime, o.Seed = rules, rules.Cells()/7, 4, time.Minute, 2
				r, table, record := hold(t, o, "novice", "bot="+command)
				for _, s := range r.Players {
					if s.Faults > 0 || s.Name == "bot" && s.Share < tt.share && rules == board.Standard {
						t.Errorf("%+v\n%s%s", s, table, record)
					}
				}
			}
		})
	}
}
