//go:build unix

package tournament

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/try"
)

const examples = "../../../doc/examples/"

// build runs a compiler, and returns the path of the compiled program.
func build(t *testing.T, compiler string, args ...string) string {
	t.Helper()
	try.Tool(t, compiler)
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
		return func(t *testing.T) string { try.Tool(t, "python3"); return command }
	}
	tests := map[string]struct {
		command func(*testing.T) string
		share   float64 // the least share against novice
	}{
		"bot.py":     {python(examples + "bot.py"), 0.9},
		"kaggle.py":  {python("python3 " + examples + "kaggle.py " + examples + "kaggle_agent.py"), 0.5},
		"aigames.py": {python(examples + "aigames.py " + examples + "aigames_bot.py"), 0},
		"bot.sh":     {func(t *testing.T) string { try.Tool(t, "sh"); return examples + "bot.sh" }, 0},
		"bot.c": {func(t *testing.T) string {
			return build(t, "cc", "-Wall", "-Wextra", "-O2", "-o", "OUT", examples+"bot.c")
		}, 0.9},
		"bot.js":                      {func(t *testing.T) string { try.Tool(t, "node"); return examples + "bot.js" }, 0.5},
		"python/board.py":             {},
		"python/lesson1_random.py":    {python(examples + "python/lesson1_random.py"), 0},
		"python/lesson2_ahead.py":     {python(examples + "python/lesson2_ahead.py"), 0.5},
		"python/lesson3_minimax.py":   {python(examples + "python/lesson3_minimax.py"), 0.5},
		"python/lesson4_alphabeta.py": {python(examples + "python/lesson4_alphabeta.py"), 0.6},
		"gobot": {func(t *testing.T) string {
			return build(t, "go", "build", "-o", "OUT", examples+"gobot/main.go")
		}, 0.9},
	}
	files, _ := filepath.Glob(examples + "*")
	more, _ := filepath.Glob(examples + "python/*.py")
	for _, file := range append(files, more...) {
		name, _ := filepath.Rel(examples, file)
		_, tested := tests[name]
		adapted := name == "kaggle_agent.py" || name == "aigames_bot.py" || name == "python"
		if !tested && !adapted {
			t.Errorf("doc/examples/%s is not in this test: add it there", name)
		}
	}
	if testing.Short() {
		t.Skip("the rest starts many interpreters")
	}
	for name, tt := range tests {
		if tt.command == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			o := short
			o.Opening, o.Games, o.MoveTime, o.Seed = 6, 4, time.Minute, 2
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
	try.Tool(t, "python3")
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

// checkBoard reads lines with a game and the number of columns, rows and discs in a line, and prints
// what the class Board says after each disc: who wins, the free columns, and the cells.
const checkBoard = `
import sys
sys.path.insert(0, sys.argv[1])
from board import Board
for line in sys.stdin:
    moves, width, height, connect = line.split()
    board = Board(int(width), int(height), int(connect))
    for digit in moves:
        column = int(digit) - 1
        for other in board.free_columns():
            before = str(board), board.get_next_player(), board.play(other)
            board.unplay(other)
            assert before[:2] == (str(board), board.get_next_player())
        won = board.play(column)
        assert won == board.is_won() and board.is_full() == (board.free_columns() == [])
        assert (board.get_width(), board.get_height(), board.get_connect()) == (int(width), int(height), int(connect))
        assert board.get_token(-1, 0) == board.get_token(0, 8) == board.get_token(8, 0) == 0
        cells = [board.get_token(x, y) for x in range(board.get_width()) for y in range(board.get_height())]
        print(won, board.get_next_player(), board.free_columns(), cells)
`

// The class Board of doc/examples agrees with package board, in random games on boards of all kinds.
func TestPythonBoard(t *testing.T) {
	try.Tool(t, "python3")
	chance := rand.New(rand.NewPCG(1, 0))
	var games, want strings.Builder
	for range 200 {
		r := board.Rules{Columns: 1 + chance.IntN(8), Rows: 1 + chance.IntN(8), Connect: 2 + chance.IntN(4)}
		g, _ := board.NewGame(r, board.Red)
		p := g.Position()
		for p.Outcome() == board.Playing {
			col := chance.IntN(r.Columns)
			if !p.Legal(col) {
				continue
			}
			_ = g.Play(col)
			p = g.Position()
			var free, cells []string
			for x := range r.Columns {
				if p.Height(x) < r.Rows {
					free = append(free, strconv.Itoa(x))
				}
				for y := range r.Rows {
					cells = append(cells, map[board.Disc]string{board.Empty: "0", board.Red: "1", board.Yellow: "-1"}[p.At(x, y)])
				}
			}
			won, next := "False", 1-2*(p.Ply()%2)
			if p.Outcome().Winner() != board.Empty {
				won = "True"
			}
			fmt.Fprintf(&want, "%s %d [%s] [%s]\n", won, next, strings.Join(free, ", "), strings.Join(cells, ", "))
		}
		fmt.Fprintln(&games, g, r.Columns, r.Rows, r.Connect)
	}
	cmd := exec.Command("python3", "-c", checkBoard, examples+"python")
	cmd.Stdin = strings.NewReader(games.String())
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != want.String() {
		t.Errorf("%v\n%.2000s", err, out)
	}
}
