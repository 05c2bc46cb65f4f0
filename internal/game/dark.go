package game

import "time"

// dark is a screen on which nobody did anything for the idle time. Any key brings the last one back.
type dark struct {
	plain
	last screen
}

func (s *dark) press(g *Game, in input) { g.open(s.last) }

func (*dark) show(_ *Game, p *picture) { p.Phase = Dark }

// idle returns when the LEDs go dark if no key is pressed; zero: never. They do in the demo, and wherever only a
// key goes on: next is zero.
func (g *Game) idle(next time.Time) (at time.Time) {
	waits := next.IsZero()
	switch g.screen.(type) {
	case *demo:
		waits = true
	case *turn:
		waits = !g.computersTurn()
	case *making, *dark, *over:
		waits = false
	}
	if g.config.Idle > 0 && waits {
		at = g.touched.Add(g.config.Idle)
	}
	return at
}

// goDark turns the LEDs off. From the demo, the way back leads to the menu.
func (g *Game) goDark() {
	last := g.screen
	if _, demos := last.(*demo); demos {
		last = &g.menu
	}
	g.open(&dark{last: last})
	g.emit(Rest{})
}

// over is the end of the program.
type over struct{ plain }

func (*over) press(*Game, input)       {}
func (*over) show(_ *Game, p *picture) { p.Phase = Over }
