package game

import "time"

// dark is a screen on which nobody did anything for the idle time. Any key brings the last one back.
type dark struct {
	plain
	last screen
}

func (s *dark) press(g *Game, in input) { g.open(s.last) }

func (*dark) show(_ *Game, p *picture) { p.Phase = Dark }

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

func (*over) press(*Game, input)       {}
func (*over) show(_ *Game, p *picture) { p.Phase = Over }
