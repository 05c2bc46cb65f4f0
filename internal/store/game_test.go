package store

import (
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// gameScript is what a real game saves in a few minutes. It has matches between two people and
// against the computer, with undo, a draw, a displaced match and an abandoned one.
func gameScript(t testing.TB) (s script) {
	t.Helper()
	now := time.Unix(0, 0)
	small := board.Rules{Columns: 4, Rows: 3, Connect: 3}
	g, err := game.New(game.Config{
		Setup: game.Setup{Rules: small, Points: 2, First: board.FirstLoser}, Forever: true, Run: "game",
	}, now)
	if err != nil {
		t.Fatal(err)
	}
	var step func(ev game.Event)
	step = func(ev game.Event) {
		var effects []game.Effect
		g, effects = g.Step(now, ev)
		for _, e := range effects {
			switch e := e.(type) {
			case game.Save:
				s = append(s, stepOf(e.Record, false, false))
			case game.Finish:
				s = append(s, stepOf(e.Record, true, e.Abandoned))
			case game.Think:
				step(e.Done()) // the computer plays at random
			}
		}
	}
	settle := func() {
		for end := now.Add(20 * time.Second); ; {
			next, ok := g.Next(now)
			if !ok || next.After(end) {
				return
			}
			now = next
			step(game.Tick{})
		}
	}
	step(game.Tick{})
	alone := game.Setup{Rules: small, Points: 1, Computer: board.Yellow, Level: 1, Opening: "1"}
	for _, ev := range []game.Event{
		game.Column{Col: 0}, game.Column{Col: 1}, game.Undo, game.Column{Col: 1}, game.Column{Col: 0},
		game.Column{Col: 1}, game.Column{Col: 0}, // red wins a round
		game.Column{Col: 3}, game.Column{Col: 2},
		game.Start{Setup: alone, Force: true},
		game.Column{Col: 0}, game.Column{Col: 1}, game.Undo, game.Column{Col: 2}, game.Column{Col: 3}, game.Column{Col: 1},
		game.Column{Col: 0}, game.Column{Col: 2}, game.Column{Col: 3}, game.Column{Col: 1},
		game.Start{Setup: game.Setup{Rules: small, Points: 1}, Force: true},
		game.Column{Col: 3}, game.End{},
	} {
		step(ev)
		settle()
	}
	if len(s) < 25 {
		t.Fatalf("only %d steps", len(s))
	}
	return s
}

func stepOf(r game.Record, finish, abandoned bool) step {
	return step{match: r, finish: finish, abandoned: abandoned}
}
