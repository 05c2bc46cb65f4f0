package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
)

// The board is at the bottom left of the matrix. If there is room, the cursor is above the board
// and the score to its right. On the matrix, x is counted from the left and y from the top.

const (
	side   = board.MaxSide
	scoreX = side - 1
	hintY  = 1
)

func cell(col, row int) int { return 8*(side-1-row) + col }

// discLED returns the LED for a disc or an empty cell. On the full matrix empty cells are
// dark, and the second player is blue.
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

// draw draws the game as it is now, on a dark frame.
func (s *State) draw(f *Frame, now time.Time) {
	switch s.phase {
	case Attract:
		s.landing().draw(f, now)
		dimAll(f)
	case Menu:
		if !s.refused.dark(now) {
			s.drawMenu(f)
		}
	case Aim, Thinking:
		s.drawBoard(f)
		s.drawCursor(f, now)
	case Fall, Cheer:
		s.landing().draw(f, now)
		s.drawScore(f)
	case Looking:
		s.drawLook(f, now)
	case Making:
		menuSheet.draw(f, int(entryPuzzle))
		dimAll(f)
	case Score:
		if s.solving.on {
			drawDigit(f, s.solving.inARow, LEDWins)
			return
		}
		winner := s.position().Outcome().Winner()
		drawDigit(f, s.record.Match.Points(winner), discLED(s.record.Match.Rules(), winner))
	case Victory:
		replace(f, LEDDark, discLED(s.record.Match.Rules(), s.record.Match.Winner()))
	case Drawn:
		drawDiscs(f, &s.record.Game)
		dimAll(f)
		drawEquals(f, s.record.Match.Rules())
		s.drawScore(f)
	case Paused:
		if !s.refused.dark(now) {
			pauseSheet.draw(f, int(s.choice))
		}
	case Hinting:
		s.drawBoard(f)
		s.drawAdvice(f, now)
	case Admitting:
		drawDigit(f, s.admission.shown, LEDPlain)
	}
}

func dimAll(f *Frame) {
	for i, l := range f {
		f[i] = l.Dimmed()
	}
}

// drawBoard draws the discs and the score of the match.
func (s *State) drawBoard(f *Frame) {
	drawDiscs(f, &s.record.Game)
	s.drawScore(f)
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

// drawScore shows the points and which players are away (see [Away]), in the matrix's last column
// if the board leaves that column free: red's points from the bottom up, the other player's from
// the top down.
func (s *State) drawScore(f *Frame) {
	r := s.record.Match.Rules()
	if r.Columns > scoreX {
		return
	}
	for i := range s.record.Match.Points(board.Red) {
		f[cell(scoreX, i)] = LEDRed.Dimmed()
	}
	for i := range s.record.Match.Points(board.Yellow) {
		f[cell(scoreX, side-1-i)] = discLED(r, board.Yellow).Dimmed()
	}
	// Which players are away is shown between the points: red below, the other player above.
	for i, seat := range s.seats {
		if seat.state == Away {
			f[cell(scoreX, MaxPoints+i)] = LEDPlain
		}
	}
}

func (s *State) drawCursor(f *Frame, now time.Time) {
	switch {
	case s.phase == Aim && now.Before(s.windows.dark()), s.refused.dark(now):
		return
	case s.sharedTop() && !s.refused.shows(now) && blinkDark(s.blinks, now):
		return
	}
	position := s.position()
	r := position.Rules()
	led := discLED(r, position.Turn())
	if s.notice.Kind == NoticeWrong && s.refused.shows(now) { // the disc blinks where it was taken back
		col := s.notice.Column
		f[cell(col, position.Height(col))] = led
	}
	if r.Columns > scoreX && s.seat(position.Turn()).state == Away {
		led = led.Dimmed() // no column is free to show which player is away
	}
	if since, ok := s.breathes(); ok && !now.Before(since) && now.Sub(since)/breatheHalf%2 == 0 {
		led = led.Dimmed()
	}
	f[s.cursor] = led
}

// hintRow reports whether a row is free for the columns' scores.
func hintRow(r board.Rules) bool { return r.Rows < side-hintY }

// drawAdvice shows the score of each column above that column. The best column blinks, in the
// colour of the player to move if even the best one loses. If no row is free, the free cells of the
// best column blink instead.
func (s *State) drawAdvice(f *Frame, now time.Time) {
	position := s.position()
	r := position.Rules()
	mover := discLED(r, position.Turn())
	if !s.sharedTop() {
		f[s.cursor] = mover
	}
	best := s.advice.Best(position)
	led := s.advice.led(best)
	switch {
	case blinkDark(s.since, now):
		led = LEDDark
	case led == LEDDark:
		led = mover
	}
	if !hintRow(r) {
		for row := position.Height(best); row < r.Rows && led != LEDDark; row++ {
			f[cell(best, row)] = led
		}
		return
	}
	for col := range position.LegalMoves() {
		f[8*hintY+col] = s.advice.led(col)
	}
	f[8*hintY+best] = led
}
