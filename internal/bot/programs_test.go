//go:build unix

package bot

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
)

// script returns the command of a shell script.
func script(t *testing.T, text string) Command {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bot.sh")
	if err := os.WriteFile(file, []byte(text+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	c, err := ParseCommand(file)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func parseGame(t *testing.T, r board.Rules, moves string) board.Game {
	t.Helper()
	g, err := board.ParseGame(r, board.Red, moves)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Choose returns a program's column. If the program fails, there is a sentence for the user, a
// short reason in the view, and what the program wrote.
func TestChoose(t *testing.T) {
	for name, tt := range map[string]struct {
		script, fault string
		rules         board.Rules
		moves         string
		column        int
	}{
		"plays":       {script: "read moves; echo 3; read moves", rules: board.Standard, moves: "4", column: 2},
		"full column": {script: "read moves; echo 1; read moves", rules: board.Standard, moves: "4111111", fault: "answered column 1, which is full"},
		"no column":   {script: "read moves; echo red; read moves", rules: board.FullMatrix, moves: "4", fault: "answered \"red\""},
		"ends":        {script: "exit 3", rules: board.Standard, moves: "4", fault: "ended with exit status 3"},
	} {
		t.Run(name, func(t *testing.T) {
			var failed []string
			p, err := StartMatch(MatchOptions{
				Commands: map[board.Disc]Command{board.Yellow: script(t, "#!/bin/sh\necho hello >&2\n"+tt.script)}, Rules: tt.rules, MoveTime: time.Minute,
				Failed: func(text string) { failed = append(failed, text) },
			})
			if err != nil {
				t.Fatal(err)
			}
			col, err := p.Choose(t.Context(), parseGame(t, tt.rules, tt.moves))
			if col != tt.column || (err == nil) != (tt.fault == "") {
				t.Errorf("column %d, %v", col, err)
			}
			if !slices.Equal(p.Players(), []board.Disc{board.Yellow}) {
				t.Errorf("players %v", p.Players())
			}
			wrote := p.Close()
			who := tt.rules.Name(board.Yellow) + "'s program "
			if !strings.HasPrefix(wrote, who) || !strings.HasSuffix(wrote, " wrote:\nhello\n") {
				t.Errorf("it wrote %q", wrote)
			}
			if tt.fault == "" && failed != nil || tt.fault != "" && (len(failed) != 1 || !strings.HasPrefix(failed[0], who)) {
				t.Errorf("failed: %q", failed)
			}
		})
	}
}

// Both sides can be programs. If one cannot be started, the other is ended.
func TestStart(t *testing.T) {
	ends := script(t, "#!/bin/sh\nread moves; echo over >&2")
	both := MatchOptions{Commands: map[board.Disc]Command{board.Red: ends, board.Yellow: ends}, Rules: board.Standard}
	p, err := StartMatch(both)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Players(), []board.Disc{board.Red, board.Yellow}) {
		t.Errorf("players %v", p.Players())
	}
	if got := p.Close(); strings.Count(got, "wrote:\nover\n") != 2 || strings.Index(got, "red") > strings.Index(got, "yellow") {
		t.Errorf("they wrote %q", got)
	}
	both.Commands[board.Yellow] = script(t, "#!/no/such/language")
	if _, err := StartMatch(both); err == nil || !strings.Contains(err.Error(), "its first line names") {
		t.Errorf("a program without its language: %v", err)
	}
}
