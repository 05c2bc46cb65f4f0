package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Boards are solved once, and then remembered.
func TestBoards(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	for range 2 {
		var out strings.Builder
		if err := prove(t.Context(), state, []string{"4x4", "6x4"}, &out); err != nil || !strings.HasPrefix(out.String(), "4x4 0: as published, ") || !strings.Contains(out.String(), "\n6x4 -1: as published, ") {
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
