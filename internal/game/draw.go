package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/match"
)

// The board is at the bottom left of the matrix. If there is room, the cursor is above the board
// and the score to its right.
const (
	scoreX = side - 1 // the column of the score
	hintY  = 1        // the row of the columns' scores
)

func cell(col, row int) int { return 8*(side-1-row) + col }

// discLED returns the LED for a disc or, dark on the full matrix, an empty cell.
func discLED(r board.Rules, d board.Disc) LED {
	switch {
	case d == board.Red:
		return LEDRed
	case d == board.Yellow && r.FillsMatrix():
		return LEDBlue
	case d == board.Yellow:
		return LEDYellow
	case r.FillsMatrix():
		return LEDDark
	}
	return LEDEmpty
}

func dimAll(f *Frame) {
	for i, l := range f {
		f[i] = l.Dimmed()
	}
}

func drawDiscs(f *Frame, g *board.Game) {
	position := g.Position()
	r := position.Rules()
	for col := range r.Columns {
		for row := range r.Rows {
			f[cell(col, row)] = discLED(r, position.At(col, row))
		}
	}
}

// drawBoard draws the board of the match under way, and the score.
func (g *Game) drawBoard(p *picture) {
	drawDiscs(&p.Frame, &g.record.Game)
	g.drawScore(&p.Frame)
}

// drawScore shows the points in the matrix's last column, if the board leaves it free: red's from
// the bottom up, the other player's from the top down. Between them it shows who is [Away].
func (g *Game) drawScore(f *Frame) {
	r := g.record.Match.Rules()
	if r.Columns > scoreX {
		return
	}
	for i := range g.record.Match.Points(board.Red) {
		f[cell(scoreX, i)] = LEDRed.Dimmed()
	}
	for i := range g.record.Match.Points(board.Yellow) {
		f[cell(scoreX, side-1-i)] = discLED(r, board.Yellow).Dimmed()
	}
	for i, seat := range g.seats {
		if seat.State == Away {
			f[cell(scoreX, match.MaxPoints+i)] = LEDPlain
		}
	}
}

// landing is the animation of a game's last disc. It falls, rests and, if it has won, its lines blink.
type landing struct {
	game                    board.Game
	row                     time.Duration // how long the disc stays in each row
	dropped, fallen, rested time.Time
}

// landingOf returns the landing of a game's last disc, which stays still for a time after its fall.
func landingOf(g board.Game, dropped time.Time, rowTime, rest time.Duration) landing {
	l := landing{g, rowTime, dropped, dropped, dropped}
	if _, row, ok := g.Last(); ok {
		l.fallen = dropped.Add(time.Duration(side-1-row) * rowTime)
		l.rested = l.fallen.Add(rest)
	}
	return l
}

// draw draws the game. While the disc falls, its final cell is empty. After the cheer, the winning
// lines are brighter than the rest.
func (l landing) draw(p *picture) {
	f := &p.Frame
	drawDiscs(f, &l.game)
	position := l.game.Position()
	switch {
	case p.before(l.rested):
		r := position.Rules()
		col, row, _ := l.game.Last()
		f[cell(col, row)] = discLED(r, board.Empty)
		y := side - 1 - row
		if p.before(l.fallen) {
			y = p.beat(l.dropped, l.row)
		}
		f[8*y+col] = discLED(r, position.Turn().Other())
	case position.Outcome().Winner() != board.Empty:
		lines, cheers := position.Lines(), p.before(l.rested.Add(cheerTime))
		dark := cheers && p.blinks(l.rested)
		for i, led := range f {
			switch in := lines.Has(i%side, side-1-i/side); {
			case in && dark:
				f[i] = LEDDark
			case !in && !cheers:
				f[i] = led.Dimmed()
			}
		}
	}
}
