package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/match"
)

const (
	demoLevel = match.Medium // of both sides: sensible, and with little computing time
	demoRow   = 100 * time.Millisecond
	demoPace  = 1500 * time.Millisecond // from one disc to the next
	demoRest  = 3 * time.Second         // after each round
)

// demo is a game that the computer plays against itself while nobody plays.
type demo struct {
	thought
	game    board.Game
	dropped time.Time // when the last disc was dropped, or the round began
}

func (g *Game) openDemo() {
	g.menu.second = false
	game, _ := board.NewGame(board.Standard, board.Red) // the rules are valid
	g.open(&demo{game: game, dropped: g.now})
}

func (*demo) press(g *Game, _ input) { g.open(&g.menu) }

func (s *demo) ask(g *Game) { g.think(s.thought, s.game, demoLevel) }

func (s *demo) answer(g *Game, ev Answered) { s.thought = g.chosen(ev, s.game.Position()) }

func (s *demo) landing() landing { return landingOf(s.game, s.dropped, demoRow, demoRow) }

func (s *demo) next(*Game) (at time.Time, change func(*Game)) {
	switch {
	case s.game.Position().Outcome() != board.Playing:
		return s.landing().rested.Add(cheerTime + demoRest), (*Game).openDemo
	case s.done:
		return s.dropped.Add(demoPace), func(g *Game) {
			_ = s.game.Play(s.col) // chosen has checked that it is legal
			s.dropped, s.thought = g.now, thought{}
		}
	}
	return at, nil
}

func (s *demo) show(_ *Game, p *picture) {
	p.Phase = Attract
	s.landing().draw(p)
	dimAll(&p.Frame)
}
