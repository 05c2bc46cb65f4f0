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

// endingTimes has how long each picture at the end of a round is shown.
var endingTimes = map[Phase]time.Duration{Cheer: cheerTime, Score: scoreTime, Victory: victoryTime, Clear: clearTime, Drawn: drawTime}

// ending is one of the pictures at the end of a round, which a key or its time ends:
//
//	cheer → score → [victory] → clear, or drawn
//
// After a solved puzzle, cheer waits for a key, and score is the number of puzzles solved in a row.
type ending struct {
	plain
	name Phase
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
	if g.position().Outcome() == board.Draw {
		return &ending{name: Drawn}
	}
	return &ending{name: Cheer}
}

// first reports whether the picture shows the line or the draw, which everybody must see.
func (s *ending) first() bool { return s.name == Cheer || s.name == Drawn }

// then shows what follows the picture.
func (s *ending) then(g *Game) {
	switch {
	case g.puzzle != nil && (s.name == Score || g.puzzle.inARow == 0):
		g.nextPuzzle()
	case s.name == Cheer:
		g.open(&ending{name: Score})
	case s.name == Score && g.won():
		g.open(&ending{name: Victory})
	case s.name == Score, s.name == Victory:
		g.open(&ending{name: Clear})
	case g.won():
		v := g.View(g.now)
		g.endMatch()
		if g.config.Attract && v.Unattended() { // nobody is there to choose in the menu
			g.openDemo()
		}
	default:
		g.startRound("")
	}
	g.tap.at = g.now // a press may have been meant for this picture
}

// won reports whether the match has a winner.
func (g *Game) won() bool { return g.record.Match.Winner() != board.Empty }

// matchOver reports whether the end of a match is shown, and the menu follows.
func (g *Game) matchOver() bool { return g.config.Forever && g.puzzle == nil && g.won() }

// fresh reports whether the picture has just appeared, so that no key ends it.
func (s *ending) fresh(g *Game) bool { return s.first() && g.now.Before(g.since.Add(endShown)) }

// press ends the picture. But Up and Back leave the puzzles, and if the last picture of a match waits
// for a key, middle starts a rematch and Back opens the menu.
func (s *ending) press(g *Game, in input) {
	switch {
	case in.held:
	case in.key == OpenLook && g.puzzle == nil:
		g.lookBack(!g.matchOver())
	case in.key != Back && (in.soon || s.fresh(g)):
	case s.first() && g.puzzle != nil && (in.key == Up || in.key == Back):
		g.endMatch()
	case !s.first() || !g.config.Waits || !g.matchOver():
		s.then(g)
	case in.key == Middle:
		g.startChosen()
	case in.key == Back:
		g.endMatch()
	}
}

func (s *ending) next(g *Game) (at time.Time, change func(*Game)) {
	if s.first() && (g.config.Waits || g.puzzle != nil && g.config.Forever) {
		return at, nil
	}
	return g.since.Add(endingTimes[s.name]), s.then
}

// show lets the winning lines blink, then shows the winner's points and, after a match, fills the LEDs with the
// winner's colour. A draw is an equals sign on a dim board.
func (s *ending) show(g *Game, p *picture) {
	p.Phase = s.name
	f, m := &p.Frame, g.record.Match
	switch winner := g.position().Outcome().Winner(); {
	case s.name == Cheer:
		landing{game: g.record.Game, rested: g.since}.draw(p)
		g.drawScore(f)
	case s.name == Score && g.puzzle != nil:
		drawDigit(f, g.puzzle.inARow, LEDWins)
	case s.name == Score:
		drawDigit(f, m.Points(winner), discLED(m.Rules(), winner))
	case s.name == Victory:
		replace(f, LEDDark, discLED(m.Rules(), m.Winner()))
	case s.name == Drawn:
		drawDiscs(f, &g.record.Game)
		dimAll(f)
		drawEquals(f, m.Rules())
		g.drawScore(f)
	}
	if g.config.Waits && s.fresh(g) {
		p.Fresh = true
		p.changes(g.since.Add(endShown))
	}
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
