package game

import (
	"cmp"
	"time"

	"github.com/c4hat/c4hat/board"
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

// draw draws the game as it is now, on a dark frame.
func (s *State) draw(f *Frame, now time.Time) {
	switch s.phase {
	case Attract:
		if !s.demo.bars.IsZero() {
			s.demo.drawBars(f)
			return
		}
		s.landing().draw(f, now)
		if s.demo.standing == nil {
			dimAll(f)
		}
	case Menu:
		if !s.refused.dark(now) {
			s.drawMenu(f, now)
		}
	case Aim, Thinking:
		drawDiscs(f, &s.record.Game)
		s.drawScore(f)
		s.drawCursor(f, now)
	case Fall, Cheer:
		s.landing().draw(f, now)
		s.drawScore(f)
	case Reading:
		drawDiscs(f, &s.record.Game)
		s.drawScore(f)
		if !blinkDark(s.blinks, now) {
			row := cmp.Or(s.reading.row, side) // a whole column is marked at the top of the matrix
			f[cell(s.reading.col, row-1)] = LEDPlain
		}
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
			drawEdges(f, true, true)
		}
	case Hinting:
		drawDiscs(f, &s.record.Game)
		s.drawScore(f)
		s.drawAdvice(f, now)
	case Admitting:
		drawDigit(f, s.admission.shown, LEDPlain)
	}
}

// drawBars draws the scores of the best players, in the colours of the two that have just played.
func (d *demo) drawBars(f *Frame) {
	for x, p := range d.standing.Players[:min(len(d.standing.Players), side)] {
		if p.Score == nil {
			continue
		}
		led := LEDPlain.Dimmed()
		switch p.Name {
		case d.standing.Red:
			led = LEDRed
		case d.standing.Yellow:
			led = discLED(d.game.Position().Rules(), board.Yellow)
		}
		for y := range max(1, int(side**p.Score+0.5)) {
			f[8*(side-1-y)+x] = led
		}
	}
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

// drawScore shows the points in the matrix's last column, if the board leaves it free: red's from
// the bottom up, the other player's from the top down. Between them it shows who is [Away].
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
	for i, seat := range s.seats {
		if seat.State == Away {
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
	away := r.Columns > scoreX && s.seat(position.Turn()).State == Away // no column is free to show it
	if since, ok := s.breathes(); away || ok && !now.Before(since) && now.Sub(since)/breatheHalf%2 == 0 {
		led = led.Dimmed()
	}
	f[s.cursor] = led
}

// breathes returns when the cursor starts to breathe, that is, to alternate between dim and bright.
// It does so while the computer is thinking or another client holds the seat, unless it blinks.
func (s *State) breathes() (since time.Time, ok bool) {
	elsewhere := s.phase == Thinking && !s.thought.done || s.phase == Aim && s.seat(s.toMove()).State != Open
	return s.since.Add(breatheAfter), elsewhere && !s.sharedTop()
}

// hintRow reports whether a row is free for the columns' scores.
func hintRow(r board.Rules) bool { return r.Rows < side-hintY }

// drawAdvice shows the cursor, which has moved to the best column, and the score of each column: above
// it or, if no row is free, where its disc would land. Then the cells of the reason blink. No score
// blinks, because dark means that a column loses.
func (s *State) drawAdvice(f *Frame, now time.Time) {
	position := s.position()
	r := position.Rules()
	if lit := now.Sub(s.since) - cellsAfter; lit >= 0 && lit/breatheHalf%2 == 0 {
		drawCells(f, position, s.advice.Why, wouldWin(position, s.advice.Why, position.Turn())) // green would be a column that wins
	}
	for col := range position.LegalMoves() {
		at, before := 8*hintY+col, LEDDark
		if !hintRow(r) {
			at, before = cell(col, position.Height(col)), discLED(r, board.Empty)
		}
		if f[at] == before { // not a cell of the reason
			f[at] = scoreLED(s.advice.Score[col], !s.advice.Unknown(col))
		}
	}
	f[s.cursor] = discLED(r, position.Turn())
	if at := cell(s.cursor, position.Height(s.cursor)); s.advice.Score[s.cursor] < 0 && f[at] == discLED(r, board.Empty) {
		f[at] = f[s.cursor].Dimmed() // every column loses, so nothing else is lit
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

// landing returns the landing of the last disc shown, in a phase in which that disc can move.
func (s *State) landing() landing {
	switch s.phase {
	case Attract:
		if s.demo.standing != nil {
			return landingOf(s.demo.game, s.demo.moved, fallRow, fallRow)
		}
		return landingOf(s.demo.game, s.demo.moved, demoRow, demoRow)
	case Looking:
		_, w, g := s.look.variation()
		dropped := s.look.moved
		if s.look.aside && s.look.step == 0 {
			dropped = time.Time{} // the variation has no disc yet
		}
		return landingOf(w.Play(g, s.look.step), dropped, fallRow, 0)
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

// draw draws the game. While the disc falls, its final cell is empty. After the cheer, the winning
// lines are brighter than the rest.
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
	case position.Outcome().Winner() != board.Empty:
		lines, cheers := position.Lines(), l.cheers(now)
		for i, led := range f {
			switch in := lines.Has(i%8, side-1-i/8); {
			case in && cheers && blinkDark(l.rested, now):
				f[i] = LEDDark
			case !in && !cheers:
				f[i] = led.Dimmed()
			}
		}
	}
}

// drawLook draws the round so far. A last disc with a mark blinks, and the cells of the reason are lit;
// above any other is the next disc, and the columns' scores for that disc's player. The
// discs of a variation are dimmed, but not in a line that wins.
func (s *State) drawLook(f *Frame, now time.Time) {
	l := &s.look
	last := s.landing()
	last.draw(f, now)
	position := last.game.Position()
	r := position.Rules()
	v := l.verdict(l.at - 1)
	why, player, lit := v.Why, position.Turn(), now.Sub(s.since)
	if v.After == 0 { // as in words: the better column says more
		why, player = v.Better, player.Other()
	}
	if _, w, g := l.variation(); l.aside {
		var before Frame
		drawDiscs(&before, &g)
		lines := position.Lines()
		for i, led := range f {
			if led != before[i] && !lines.Has(i%side, side-1-i/side) {
				f[i] = led.Dimmed()
			}
		}
		why, lit = w, 0 // the other colour is that of dim discs
	} else if _, moves := last.next(now); !moves && v.Marked() && blinkDark(s.since, now) {
		col, row, _ := last.game.Last()
		f[cell(col, row)] = LEDDark
	}
	led := LEDWins
	if lit/breatheHalf%2 == 1 {
		led = wouldWin(position, why, player).Dimmed()
	}
	drawCells(f, position, why, led)
	if l.at == l.discs() || l.aside || v.Marked() || !hintRow(r) { // a mistake is shown alone
		return
	}
	f[l.whole.Game.Move(l.at)] = discLED(r, position.Turn())
	next := l.verdict(l.at)
	for col := range position.LegalMoves() {
		led := scoreLED(int(next.Worth[col]), next.Known)
		if next.Known && next.Before < 0 && next.Worth[col] == next.Before { // every column loses, and this one last
			led = discLED(r, position.Turn()).Dimmed()
		}
		if l.exact() && led != LEDDark { // dark would hide a falling disc
			f[8*hintY+col] = led
		}
	}
}

// drawCells lights the cells that matter, unless a disc is or falls there.
func drawCells(f *Frame, p board.Position, w Why, led LED) {
	empty := discLED(p.Rules(), board.Empty)
	for i := range f {
		if col, row := i%side, side-1-i/side; board.Bitboard(w.Cells).Has(col, row) && p.At(col, row) == board.Empty && f[i] == empty {
			f[i] = led
		}
	}
}

// wouldWin returns the LED for a disc of the player who would win in the cells that matter. player is the
// one for whom w says that a column is good.
func wouldWin(p board.Position, w Why, player board.Disc) LED {
	if w.Kind == Blocks {
		player = player.Other()
	}
	return discLED(p.Rules(), player)
}

// scoreLED returns the LED for a score: dark for a loss, dimmed if the score is unknown.
func scoreLED(score int, known bool) LED {
	switch {
	case !known:
		return LEDPlain.Dimmed()
	case score > 0:
		return LEDWins
	case score == 0:
		return LEDDraws
	}
	return LEDDark
}

// swaps reports whether the menu shows that the players take turns: 1 and 2 change their colours.
func (s *State) swaps() bool {
	return s.phase == Menu && s.menu.entry == entryFirst && s.menu.first == board.FirstAlternate
}

// drawMenu draws the icon of the selected entry. On a second page, a row of LEDs shows the
// computer's level, or how many discs the puzzles take to win.
func (s *State) drawMenu(f *Frame, now time.Time) {
	m := s.menu
	icon, bars := m.entry, 0
	second := discLED(s.menuSetup().Rules, board.Yellow)
	lit := second
	switch {
	case !m.second:
	case m.entry == entryPuzzle:
		bars, lit = m.discs(), LEDYellow
	case m.level() == 0:
		icon = entryTwo
	default:
		icon, bars = entryComputer, int(m.level())
	}
	switch {
	case s.swaps():
		icon += entry(now.Sub(s.since) / swapEvery % 2)
	case icon == entryFirst:
		icon += [...]entry{board.FirstYellow: 1, board.FirstLoser: 2, board.FirstRandom: 3}[m.first]
	case icon == entryOther && s.config.Rules.FillsMatrix():
		icon = entries + entry(len(firstNames)) - 2 // the last on the sheet
	}
	menuSheet.draw(f, int(icon))
	if icon == entryTwo || icon >= entryFirst {
		replace(f, LEDYellow, second)
	}
	for bar := range bars {
		f[8*(side-1)+1+bar] = lit
	}
	item, all := int(m.items[m.entry]), len(secondPages[m.entry])
	drawEdges(f, !m.second || item > 0, !m.second || item < all-1)
}

// drawEquals draws an equals sign over the middle of a board, dark between its lines.
func drawEquals(f *Frame, r board.Rules) {
	left := min(1, (r.Columns-1)/4)
	low, high := max((r.Rows-1)/2-1, 0), min(r.Rows/2+1, r.Rows-1)
	for col := left; col < r.Columns-left; col++ {
		for row := low; row <= high; row++ {
			f[cell(col, row)] = LEDDark
		}
		f[cell(col, low)], f[cell(col, high)] = LEDPlain, LEDPlain
	}
}
