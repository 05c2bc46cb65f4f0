package board

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// Undoing all moves leads back through every earlier position to the empty board.
func TestUndo(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	everyRules(func(r Rules) {
		g, err := NewGame(r, Yellow)
		must(t, err)
		passed := []Game{g}
		for g.Position().Outcome() == Playing {
			if g.Play(rng.IntN(r.Columns)) == nil {
				passed = append(passed, g)
			}
		}
		for i := len(passed) - 1; i >= 0; i-- {
			if g != passed[i] {
				t.Fatalf("%v: back at ply %d, but the game is another", r, i)
			}
			if err := g.Undo(); (err == ErrNoMove) != (i == 0) {
				t.Fatalf("%v: Undo at ply %d: %v", r, i, err)
			}
		}
	})
}

func TestNotation(t *testing.T) {
	tests := []struct {
		rules Rules
		moves string
		move  int
		want  error
	}{
		{Standard, "", 0, nil},
		{Standard, "4453", 0, nil},
		{FullMatrix, "88888888", 0, nil},
		{Standard, "48", 2, ErrNoColumn},
		{Standard, "0", 1, ErrNoColumn},
		{Standard, "44x", 3, ErrNotation},
		{Standard, "4 4", 2, ErrNotation},
		{Standard, "4é", 2, ErrNotation},
		{Standard, "4\xff", 2, ErrNotation},
		{Standard, "٤", 1, ErrNotation},
		{Standard, "1111111", 7, ErrColumnFull},
		{Standard, "1212121", 0, nil},
		{Standard, "12121213", 8, ErrGameOver},
		{Rules{1, 1, 2}, "11", 2, ErrGameOver},
		{Standard, strings.Repeat("1", 1<<20), 7, ErrColumnFull},
	}
	for _, tt := range tests {
		g, err := ParseGame(tt.rules, Red, tt.moves)
		if tt.want == nil {
			if err != nil || g.String() != tt.moves {
				t.Errorf("%q: %q, %v", tt.moves, g.String(), err)
			}
			continue
		}
		var at *MoveError
		if !errors.As(err, &at) || at.Move != tt.move || !errors.Is(err, tt.want) {
			t.Errorf("%.20q: %v, want move %d to be %v", tt.moves, err, tt.move, tt.want)
		}
		if strings.Contains(err.Error(), "\n") || len(err.Error()) > 100 {
			t.Errorf("%.20q: not one short line: %v", tt.moves, err)
		}
	}
	if _, err := Parse(Rules{}, "1"); !errors.Is(err, ErrRules) {
		t.Error(err)
	}
}
