package mirror

import (
	"testing"

	"github.com/c4hat/c4hat/internal/game"
)

// Without an ID, the first match that is played counts, and a match that is only paused does not.
func TestOnlyOver(t *testing.T) {
	view := func(p game.Phase, id string, underWay bool) game.View {
		return game.View{Phase: p, UnderWay: underWay, Record: game.Record{ID: id}}
	}
	type step struct {
		view game.View
		over bool
	}
	for name, steps := range map[string][]step{
		"chosen in the menu": {
			{view(game.Menu, "old", false), false}, {view(game.Aim, "new", true), false},
			{view(game.Paused, "new", true), false}, {view(game.Menu, "new", false), true},
		},
		"left alone, and ended for another": {
			{view(game.Paused, "old", true), false}, {view(game.Dark, "old", true), false}, {view(game.Menu, "old", false), false},
			{view(game.Thinking, "new", true), false}, {view(game.Aim, "next", true), true},
		},
		"left alone, and resumed": {
			{view(game.Paused, "old", true), false}, {view(game.Aim, "old", true), false}, {view(game.Menu, "old", false), true},
		},
	} {
		only := NewOnly("")
		for i, s := range steps {
			if got := only.Over(s.view, false); got != s.over {
				t.Errorf("%s, view %d: over is %v", name, i, got)
			}
		}
	}
}
