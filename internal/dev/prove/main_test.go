package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
)

// The answers of two machines merge to the score of the empty board, whatever the ply.
func TestMerge(t *testing.T) {
	s := solver.New(solver.Options{})
	for _, tt := range []struct {
		name  string
		ply   int
		score string
	}{{"6x4", 0, "6x4 -1: as published\n"}, {"6x4", 3, "6x4 -1: as published\n"}, {"5x5", 4, "5x5 0: as published\n"}} {
		rules, err := parse(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		ply := fmt.Sprint(tt.ply)
		list := func(answers ...string) []string {
			var out strings.Builder
			if err := run(context.Background(), append([]string{"list", tt.name, ply}, answers...), &out); err != nil {
				t.Fatal(err)
			}
			return strings.Fields(out.String())
		}
		positions := list()
		var files []string
		for machine := range 2 {
			var text strings.Builder
			for i, moves := range positions {
				if i%2 == machine {
					p, err := board.Parse(rules, strings.Trim(moves, "-"))
					if err != nil {
						t.Fatal(err)
					}
					r, err := s.Solve(t.Context(), p)
					if err != nil {
						t.Fatal(err)
					}
					fmt.Fprintf(&text, "%s %d %d 1\n", moves, r.Score, r.Nodes)
				}
			}
			files = append(files, filepath.Join(dir, fmt.Sprint(machine)))
			text.WriteString("12 5") // the machine was switched off
			if err := os.WriteFile(files[machine], []byte(text.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if left := list(files[0]); len(left) != len(positions)/2 {
			t.Errorf("%s: %d of %d positions left after the first machine", tt.name, len(left), len(positions))
		}
		var out strings.Builder
		if err := run(context.Background(), append([]string{"merge", tt.name, ply}, files...), &out); err != nil || out.String() != tt.score {
			t.Errorf("%s: %q, %v, want %q", tt.name, &out, err, tt.score)
		}
		if err := run(context.Background(), []string{"merge", tt.name, ply, files[1]}, &out); len(positions) > 1 && err == nil {
			t.Errorf("%s: merged without the first machine", tt.name)
		}
	}
}

// Boards are solved once, and then remembered.
func TestBoards(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	for range 2 {
		var out strings.Builder
		if err := run(context.Background(), []string{"boards", state, "4x4", "6x4"}, &out); err != nil || !strings.HasPrefix(out.String(), "4x4 0: as published, ") || !strings.Contains(out.String(), "\n6x4 -1: as published, ") {
			t.Errorf("%q, %v", &out, err)
		}
		if text, err := os.ReadFile(state); err != nil || string(text) != out.String() {
			t.Errorf("saved %q, %v", text, err)
		}
	}
}

func TestExpected(t *testing.T) {
	for name, want := range map[string]int{"7x6": 1, "8x8": -2, "8x7": 2, "6x6": -1, "7x7": 0, "8x5": 1, "6x7": 1} {
		r, err := parse(name)
		if err != nil || expected(r) != want {
			t.Errorf("%s: %d, %v, want %d", name, expected(r), err, want)
		}
	}
}
