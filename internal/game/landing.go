package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
)

// landing is the animation of a game's last disc: it falls, rests and, if it has won, its lines
// blink.
type landing struct {
	game                    board.Game
	row                     time.Duration // how long the disc stays in each row
	dropped, fallen, rested time.Time
}

// landingOf returns the landing of a game's last disc. After the fall, the disc stays still for the
// time rest.
func landingOf(g board.Game, dropped time.Time, rowTime, rest time.Duration) landing {
	l := landing{g, rowTime, dropped, dropped, dropped}
	if _, row, ok := g.Last(); ok {
		l.fallen = dropped.Add(time.Duration(side-1-row) * rowTime)
		l.rested = l.fallen.Add(rest)
	}
	return l
}

// landing returns the landing of the last disc shown, in a phase in which that disc can move.
func (s *State) landing() landing {
	switch s.phase {
	case Attract:
		return landingOf(s.demo.game, s.demo.moved, demoRow, demoRow)
	case Looking:
		return landingOf(s.look.shown(), s.look.moved, fallRow, 0)
	case Cheer:
		return landing{game: s.record.Game, rested: s.since}
	}
	row := fallRow
	if s.sharedTop() {
		row = fallRowFull
	}
	l := landingOf(s.record.Game, s.since, row, row)
	if least := s.since.Add(minFallTime); l.rested.Before(least) {
		l.rested = least
	}
	if s.saving != 0 {
		l.rested = l.rested.Add(saveTime)
	}
	return l
}

// draw draws the game. While the disc falls, its final cell is empty.
func (l landing) draw(f *Frame, now time.Time) {
	drawDiscs(f, &l.game)
	position := l.game.Position()
	switch {
	case now.Before(l.rested):
		r := position.Rules()
		col, row, _ := l.game.Last()
		f[cell(col, row)] = discLED(r, board.Empty)
		y := min(int(now.Sub(l.dropped)/l.row), side-1-row)
		f[8*y+col] = discLED(r, position.Turn().Other())
	case l.cheers(now) && blinkDark(l.rested, now):
		lines := position.Lines()
		for i := range f {
			if lines.Has(i%8, side-1-i/8) {
				f[i] = LEDDark
			}
		}
	}
}

// cheers reports whether the disc has won and its lines have not finished blinking.
func (l landing) cheers(now time.Time) bool {
	return l.game.Position().Outcome().Winner() != board.Empty && now.Before(l.rested.Add(cheerTime))
}

// next returns when the picture changes next; false means that nothing moves.
func (l landing) next(now time.Time) (time.Time, bool) {
	switch {
	case now.Before(l.fallen):
		return nextEdge(l.dropped, l.row, now), true
	case now.Before(l.rested):
		return l.rested, true
	}
	return nextEdge(l.rested, blinkHalf, now), l.cheers(now)
}
