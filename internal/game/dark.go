package game

import "time"

// dark is a screen on which nobody did anything for the idle time. Any key brings the last one back.
type dark struct {
	plain
	last screen
}

func (*dark) phase() Phase { return Dark }

func (s *dark) press(g *Game, in input) { g.open(s.last) }

func (*dark) draw(*Game, *picture) {}

// idle returns when the screen goes dark if no key is pressed; zero: never.
func (g *Game) idle() time.Time {
	if g.config.Idle <= 0 || g.screen.idles(g) == nil {
		return time.Time{}
	}
	return g.touched.Add(g.config.Idle)
}

func (g *Game) goDark() {
	g.open(&dark{last: g.screen.idles(g)})
	g.emit(Rest{})
}

// over is the end of the program.
type over struct{ plain }

func (*over) phase() Phase         { return Over }
func (*over) press(*Game, input)   {}
func (*over) draw(*Game, *picture) {}
