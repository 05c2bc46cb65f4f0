// Package gametest plays a game in parallel with a program under test: the program must
// show what this game shows.
package gametest

import (
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// Game is a game with its own clock, which the test advances.
type Game struct {
	t     testing.TB
	state *game.Game
	now   time.Time
}

func New(t testing.TB, c game.Config) *Game {
	t.Helper()
	now := time.Unix(0, 0)
	s, err := game.New(c, now)
	if err != nil {
		t.Fatal(err)
	}
	return &Game{t, s, now}
}

func (g *Game) Press(keys ...game.Key) {
	for _, k := range keys {
		g.state.Step(g.now, game.Press{Key: k})
	}
}

func (g *Game) Until(p game.Phase) {
	g.t.Helper()
	for g.state.Phase() != p {
		next, ok := g.state.Next(g.now)
		if !ok {
			g.t.Fatalf("%v never comes after %v", p, g.state.Phase())
		}
		g.now = next
		g.state.Step(g.now, game.Tick{})
	}
}

func (g *Game) After(d time.Duration) {
	g.now = g.now.Add(d)
	g.state.Step(g.now, game.Tick{})
}

func (g *Game) View() game.View { return g.state.View(g.now) }
