package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
)

// landing is the last disc of a game that is only shown: it falls, and if it has won, its
// lines blink.
type landing struct {
	game            board.Game
	dropped, landed time.Time
	row             time.Duration // how long it stays in each row
}

// landingOf returns the last disc of a game. Once it has fallen it rests for a while.
func landingOf(g board.Game, dropped time.Time, rowTime, rest time.Duration) landing {
	l := landing{g, dropped, dropped, rowTime}
	if _, row, ok := g.Last(); ok {
		l.landed = fallEnds(dropped, row, rowTime).Add(rest)
	}
	return l
}

// draw draws the game.
func (l *landing) draw(f *Frame, now time.Time) {
	drawDiscs(f, &l.game)
	if now.Before(l.landed) {
		drawFall(f, &l.game, l.dropped, l.row, now)
	} else {
		drawCheer(f, &l.game, l.landed, now)
	}
}

// next returns when the picture changes next; false means that nothing moves.
func (l *landing) next(now time.Time) (time.Time, bool) {
	if now.Before(l.landed) {
		return nextEdge(l.dropped, l.row, now), true
	}
	cheers := l.game.Position().Outcome().Winner() != board.Empty && now.Before(l.landed.Add(cheerTime))
	return nextEdge(l.landed, blinkHalf, now), cheers
}

// fallEnds returns when a disc that was dropped at a moment reaches its row.
func fallEnds(since time.Time, row int, rowTime time.Duration) time.Time {
	return since.Add(time.Duration(side-1-row) * rowTime)
}

// drawFall draws the last disc in the row that it has reached; its final cell is empty
// until then.
func drawFall(f *Frame, g *board.Game, since time.Time, rowTime time.Duration, now time.Time) {
	col, row, ok := g.Last()
	if !ok {
		return
	}
	position := g.Position()
	r := position.Rules()
	f[cell(col, row)] = discLED(r, board.Empty)
	y := min(int(now.Sub(since)/rowTime), side-1-row)
	f[8*y+col] = discLED(r, position.Turn().Other())
}

// drawCheer blinks every winning line for a while.
func drawCheer(f *Frame, g *board.Game, since, now time.Time) {
	if !blinkDark(since, now) || now.Sub(since) >= cheerTime {
		return
	}
	lines := g.Position().Lines()
	for i := range f {
		if lines.Has(i%8, side-1-i/8) {
			f[i] = LEDDark
		}
	}
}
