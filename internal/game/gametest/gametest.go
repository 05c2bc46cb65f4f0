// Package gametest plays a game beside a program under test: what it shows is
// what the program must show.
package gametest

import (
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
)

// Game is a game with a clock of its own, which goes where the test wants it.
type Game struct {
	t     testing.TB
	state game.State
	now   time.Time
}

// New begins a game.
func New(t testing.TB, c game.Config) *Game {
	t.Helper()
	now := time.Unix(0, 0)
	s, err := game.New(c, now)
	if err != nil {
		t.Fatal(err)
	}
	return &Game{t, s, now}
}

// Press presses keys, one after the other.
func (g *Game) Press(keys ...game.Key) {
	for _, k := range keys {
		g.state, _ = g.state.Step(g.now, game.Press{Key: k})
	}
}

// Until lets time pass to the next moment in a phase.
func (g *Game) Until(p game.Phase) {
	g.t.Helper()
	for g.state.Phase() != p {
		next, ok := g.state.Next(g.now)
		if !ok {
			g.t.Fatalf("%v never comes after %v", p, g.state.Phase())
		}
		g.now = next
		g.state, _ = g.state.Step(g.now, game.Tick{})
	}
}

// After lets time pass.
func (g *Game) After(d time.Duration) {
	g.now = g.now.Add(d)
	g.state, _ = g.state.Step(g.now, game.Tick{})
}

// View is what there is to be seen at the moment.
func (g *Game) View() game.View { return g.state.View(g.now) }

// Frame is what is on the LEDs of a HAT at the moment.
func (g *Game) Frame() light.Frame { return Colours(g.View()) }

// Colours are those of a view, where nobody has chosen others.
func Colours(v game.View) light.Frame { return light.New(light.Classic, light.Full).Frame(&v.Frame) }
