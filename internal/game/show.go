package game

import (
	"slices"
	"time"

	"github.com/c4hat/c4hat/board"
)

const barsTime = time.Minute // how long the standing of a tournament waits for the next game

// show shows a game of a tournament, and then how the tournament stands, in place of the demo.
type show struct {
	plain
	whole    board.Game
	standing *Standing
	game     board.Game // so far
	dropped  time.Time  // when its last disc was dropped, or it began
	bars     time.Time  // since when the standing is shown; zero: not yet
}

// ShowTime is how long a [Show] takes until its bars have been seen.
func ShowTime(g board.Game) time.Duration {
	return time.Duration(g.Position().Ply())*lookEvery + cheerTime + demoRest + lookEnd
}

// show starts to show a game of a tournament, unless somebody uses the HAT or a match waits.
func (g *Game) show(ev Show) error {
	last := g.screen
	if d, ok := last.(*dark); ok {
		last = d.last
	}
	_, demo := last.(*demo)
	_, shows := last.(*show)
	if !demo && !shows && (last != &g.menu || g.screen == last) { // the menu, dark, was the demo
		return ErrInUse
	}
	g.menu.second = false
	g.touched = g.now
	next := &show{whole: ev.Game, standing: ev.Standing, dropped: g.now}
	next.game, _ = board.NewGame(ev.Game.Position().Rules(), ev.Game.Starter())
	g.standing = ev.Standing.without(g.standing)
	if ev.Standing.Red == "" {
		next.bars = g.now // the tournament is over
	}
	g.open(next)
	return nil
}

// without returns what is shown until the game is over: the places of the last standing of the same tournament, or
// only names.
func (s *Standing) without(last *Standing) *Standing {
	names := func(s *Standing) (all []string) {
		for _, p := range s.Players {
			all = append(all, p.Name)
		}
		slices.Sort(all)
		return all
	}
	before := *s
	switch {
	case s.Red == "": // the end of the tournament
	case last != nil && last.Games == s.Games && last.Played < s.Played && slices.Equal(names(last), names(s)):
		before.Players = last.Players
	default:
		before.Players = nil
		for _, name := range names(s) {
			before.Players = append(before.Players, Place{Name: name})
		}
	}
	return &before
}

func (*show) phase() Phase { return Attract }

func (*show) press(g *Game, _ input) { g.open(&g.menu) }

func (*show) idles(g *Game) screen { return &g.menu }

func (s *show) over() bool {
	return s.game.Position().Outcome() != board.Playing || s.game == s.whole
}

func (s *show) landing() landing { return landingOf(s.game, s.dropped, fallRow, fallRow) }

func (s *show) due(*Game) time.Time {
	switch {
	case !s.bars.IsZero():
		return s.bars.Add(barsTime)
	case s.over():
		return s.landing().rested.Add(cheerTime + demoRest)
	}
	return s.dropped.Add(lookEvery)
}

func (s *show) pass(g *Game) {
	switch {
	case !s.bars.IsZero():
		g.openDemo()
	case s.over():
		after := *s.standing
		after.Red, after.Yellow = "", ""
		s.bars, g.standing = g.now, &after
	default:
		_ = s.game.Play(s.whole.Move(s.game.Position().Ply()))
		s.dropped = g.now
	}
}

func (s *show) view(g *Game, v *View) { v.Standing = g.standing }

// draw draws the game, or the scores of the best players, in the colours of the two that have just played.
func (s *show) draw(_ *Game, p *picture) {
	if s.bars.IsZero() {
		s.landing().draw(p)
		return
	}
	for x, place := range s.standing.Players[:min(len(s.standing.Players), side)] {
		if place.Score == nil {
			continue
		}
		led := LEDPlain.Dimmed()
		switch place.Name {
		case s.standing.Red:
			led = LEDRed
		case s.standing.Yellow:
			led = discLED(s.game.Position().Rules(), board.Yellow)
		}
		for y := range max(1, int(side**place.Score+0.5)) {
			p.Frame[8*(side-1-y)+x] = led
		}
	}
}
