package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
)

const (
	hintTime   = 5 * time.Second
	cellsAfter = time.Second // how long a hint is shown before the cells of its reason light up
)

// hint shows the score of each column, with the cursor on the best one.
type hint struct {
	plain
	advice Advice
	asker  Source
}

// hint asks for advice on the position, unless an answer is still pending.
func (g *Game) hint() {
	switch {
	case g.computersTurn():
		g.blink(Notice{Kind: NoticeThinking})
		return
	case g.barred(g.toMove()):
		g.refuseSeat(NoticeTaken)
		return
	}
	s, aims := g.screen.(*turn)
	if !aims {
		s = new(turn)
		g.open(s)
	}
	if g.asked == 0 {
		s.asker = g.from
		g.ask(Question{Kind: Advise, Game: g.record.Game})
	}
}

// next ends the hint. A key that was meant to close it drops no disc.
func (s *hint) next(g *Game) (at time.Time, change func(*Game)) {
	if g.config.Waits {
		return at, nil
	}
	return g.since.Add(g.lasts(hintTime)), func(g *Game) {
		g.open(new(turn))
		g.tap = tap{s.asker, g.now}
	}
}

// lasts returns how long a text is shown that can be read in a given time. A voice takes longer than the eye.
func (g *Game) lasts(read time.Duration) time.Duration {
	if g.voices > 0 {
		read *= 4
	}
	return read
}

// press closes the hint. A column that takes no disc is refused, and the hint stays. The hint of another
// source does not consume the key.
func (s *hint) press(g *Game, in input) {
	closes := in.drops && !in.typed || in.key == Hint || in.key == Back
	switch {
	case in.drops && g.refusesSeat():
	case in.typed && !g.position().Legal(in.col):
		g.drop(in.col)
	case closes && g.from == s.asker:
		g.open(new(turn))
		g.note(Notice{Kind: NoticeClosed})
	default:
		g.open(new(turn))
		g.screen.press(g, in)
	}
}

// show shows the cursor and the score of each column: above it or, if no row is free, where its disc would
// land. Then the cells of the reason blink. No score blinks, because dark means that a column loses.
func (s *hint) show(g *Game, p *picture) {
	p.Phase, p.Advice = Hinting, s.advice
	f := &p.Frame
	g.drawBoard(p)
	position := g.position()
	r := position.Rules()
	if a := s.advice; a.Why.Cells != 0 && !p.before(g.since.Add(cellsAfter)) && p.beat(g.since.Add(cellsAfter), breatheHalf)%2 == 0 {
		winner := position.Turn()
		if a.Why.Kind == Blocks {
			winner = winner.Other()
		}
		drawCells(f, position, a.Why.Cells, discLED(r, winner)) // green would be a column that wins
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
	f[g.cursor] = discLED(r, position.Turn())
	if at := cell(g.cursor, position.Height(g.cursor)); s.advice.Score[g.cursor] < 0 && f[at] == discLED(r, board.Empty) {
		f[at] = f[g.cursor].Dimmed() // every column loses, so nothing else is lit
	}
}

// hintRow reports whether a row is free for the columns' scores.
func hintRow(r board.Rules) bool { return r.Rows < side-hintY }

// drawCells lights the cells that matter, unless a disc is or falls there.
func drawCells(f *Frame, p board.Position, cells Cells, led LED) {
	empty := discLED(p.Rules(), board.Empty)
	for i := range f {
		if col, row := i%side, side-1-i/side; board.Bitboard(cells).Has(col, row) && p.At(col, row) == board.Empty && f[i] == empty {
			f[i] = led
		}
	}
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
