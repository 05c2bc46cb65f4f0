package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
)

const (
	cheerTime   = 3 * blink
	scoreTime   = 1500 * time.Millisecond
	victoryTime = 1500 * time.Millisecond
	drawTime    = 1500 * time.Millisecond
	clearTime   = 250 * time.Millisecond

	// Keys that are mashed do not end the pictures of a round's end: a key does so only if nobody has
	// pressed one for keysRest, and once the line or the draw has been shown for endShown.
	keysRest = 500 * time.Millisecond
	endShown = time.Second
)

// ending is one of the pictures at the end of a round, which a key or its time ends:
//
//	cheer → score → [victory] → clear, or drawn
//
// After a solved puzzle, cheer waits for a key, and score is the number of puzzles solved in a row.
type ending struct {
	plain
	name  Phase
	lasts time.Duration // zero: until a key is pressed
	first bool          // the line or the draw, which everybody must see
	paint func(*Game, *picture)
	then  func(*Game)
}

// endRound counts the round, and shows how it ended.
func (g *Game) endRound() {
	before := g.record
	g.record = before.Count() // cannot fail: the round is part of the match
	if g.won() {
		g.finish(before)
	}
	g.open(g.roundsEnd())
}

// roundsEnd returns the first picture of how the round ended.
func (g *Game) roundsEnd() *ending {
	s := &ending{name: Cheer, lasts: cheerTime, first: true, paint: (*Game).paintCheer, then: (*Game).afterCheer}
	if g.position().Outcome() == board.Draw {
		s = &ending{name: Drawn, lasts: drawTime, first: true, paint: (*Game).paintDraw, then: (*Game).nextRound}
	}
	if g.config.Waits || g.puzzle != nil && g.config.Forever {
		s.lasts = 0
	}
	return s
}

func (g *Game) afterCheer() {
	if g.puzzle != nil && g.puzzle.inARow == 0 {
		g.nextPuzzle()
		return
	}
	g.open(&ending{name: Score, lasts: scoreTime, paint: (*Game).paintScore, then: (*Game).afterScore})
}

func (g *Game) afterScore() {
	switch {
	case g.puzzle != nil:
		g.nextPuzzle()
	case g.won():
		g.open(&ending{name: Victory, lasts: victoryTime, paint: (*Game).paintVictory, then: (*Game).clear})
	default:
		g.clear()
	}
}

func (g *Game) clear() {
	g.open(&ending{name: Clear, lasts: clearTime, paint: func(*Game, *picture) {}, then: (*Game).nextRound})
}

func (g *Game) nextRound() {
	if g.won() {
		g.endMatch()
	} else {
		g.startRound("")
	}
}

// won reports whether the match has a winner.
func (g *Game) won() bool { return g.record.Match.Winner() != board.Empty }

// matchOver reports whether the end of a match is shown, and the menu follows.
func (g *Game) matchOver() bool { return g.config.Forever && g.puzzle == nil && g.won() }

// fresh reports whether the picture has just appeared, so that no key ends it.
func (s *ending) fresh(g *Game) bool { return s.first && g.now.Before(g.since.Add(endShown)) }

// press ends the picture. But Up and Back leave the puzzles, and if the last picture of a match waits
// for a key, middle starts a rematch and Back opens the menu.
func (s *ending) press(g *Game, in input) {
	switch {
	case in.held:
	case in.key == OpenLook && g.puzzle == nil:
		g.lookBack(!g.matchOver())
	case in.key != Back && (in.soon || s.fresh(g)):
	case s.first && g.puzzle != nil && (in.key == Up || in.key == Back):
		g.endMatch()
	case !s.first || !g.config.Waits || !g.matchOver():
		s.then(g)
	case in.key == Middle:
		g.startChosen()
	case in.key == Back:
		g.endMatch()
	}
}

func (s *ending) next(g *Game) (at time.Time, change func(*Game)) {
	if s.lasts == 0 {
		return at, nil
	}
	return g.since.Add(s.lasts), s.then
}

func (s *ending) show(g *Game, p *picture) {
	p.Phase = s.name
	s.paint(g, p)
	if g.config.Waits && s.fresh(g) {
		p.Fresh = true
		p.changes(g.since.Add(endShown))
	}
}

// paintCheer lets the winning lines blink.
func (g *Game) paintCheer(p *picture) {
	landing{game: g.record.Game, rested: g.since}.draw(p)
	g.drawScore(&p.Frame)
}

// paintScore shows the winner's points.
func (g *Game) paintScore(p *picture) {
	if g.puzzle != nil {
		drawDigit(&p.Frame, g.puzzle.inARow, LEDWins)
		return
	}
	winner := g.position().Outcome().Winner()
	drawDigit(&p.Frame, g.record.Match.Points(winner), discLED(g.record.Match.Rules(), winner))
}

// paintVictory fills the LEDs with the colour of the match's winner.
func (g *Game) paintVictory(p *picture) {
	replace(&p.Frame, LEDDark, discLED(g.record.Match.Rules(), g.record.Match.Winner()))
}

func (g *Game) paintDraw(p *picture) {
	drawDiscs(&p.Frame, &g.record.Game)
	dimAll(&p.Frame)
	drawEquals(&p.Frame, g.record.Match.Rules())
	g.drawScore(&p.Frame)
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
