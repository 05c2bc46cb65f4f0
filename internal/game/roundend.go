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

// A round ends with a few pictures, one after the other:
//
//	cheer → score → [victory] → clear, or drawn
//
// After a solved puzzle, cheer waits for a key, and score is the number of puzzles solved in a row.
type (
	cheer   struct{ ending } // the winning lines blink
	score   struct{ ending } // the winner's points
	victory struct{ ending } // the colour of the match's winner
	drawn   struct{ ending } // the board, and an equals sign
	cleared struct{ ending } // dark
)

// ending is a picture that ends after its time or by a key.
type ending struct {
	plain
	first bool // of the round's end
}

func (*cheer) phase() Phase   { return Cheer }
func (*score) phase() Phase   { return Score }
func (*victory) phase() Phase { return Victory }
func (*drawn) phase() Phase   { return Drawn }
func (*cleared) phase() Phase { return Clear }

func (*score) due(g *Game) time.Time   { return g.since.Add(scoreTime) }
func (*victory) due(g *Game) time.Time { return g.since.Add(victoryTime) }
func (*cleared) due(g *Game) time.Time { return g.since.Add(clearTime) }

// endRound counts the round, and shows how it ended.
func (g *Game) endRound() {
	before := g.record
	g.record = before.Count() // cannot fail: the round is part of the match
	if g.won() {
		g.finish(before, false)
	}
	g.open(g.roundsEnd())
}

// roundsEnd returns the first picture of how the round ended.
func (g *Game) roundsEnd() screen {
	if g.position().Outcome() == board.Draw {
		return &drawn{ending{first: true}}
	}
	return &cheer{ending{first: true}}
}

// won reports whether the match has a winner.
func (g *Game) won() bool { return g.record.Match.Winner() != board.Empty }

// matchOver reports whether the end of a match is shown, and the menu follows.
func (g *Game) matchOver() bool { return g.config.Forever && g.puzzle == nil && g.won() }

// fresh reports whether the screen has just appeared, so that no key ends the round's first picture.
func (g *Game) fresh() bool { return g.now.Before(g.since.Add(endShown)) }

func (s ending) hasty(g *Game, in input) bool {
	return in.key != Back && (in.soon || s.first && g.fresh())
}

func (s ending) press(g *Game, in input) {
	switch {
	case in.held:
	case in.key == OpenLook && g.puzzle == nil:
		g.lookBack(!g.matchOver())
	case !s.hasty(g, in):
		g.screen.pass(g)
	}
}

// press is that of any ending, but Up and Back leave the puzzles, and if the last picture of a match waits
// for a key, middle starts a rematch and Back opens the menu.
func (s *cheer) press(g *Game, in input) {
	switch {
	case in.key == OpenLook, s.hasty(g, in):
		s.ending.press(g, in)
	case g.puzzle != nil && (in.key == Up || in.key == Back):
		g.endMatch()
	case !g.config.Waits || !g.matchOver():
		s.ending.press(g, in)
	case in.key == Middle:
		g.startMatch(g.menuSetup())
	case in.key == Back:
		g.endMatch()
	}
}

func (s *cheer) idles(g *Game) screen {
	if g.config.Waits || g.puzzle != nil && g.config.Forever {
		return s
	}
	return nil
}

func (s *cheer) due(g *Game) time.Time {
	if s.idles(g) != nil {
		return time.Time{}
	}
	return g.since.Add(cheerTime)
}

func (s *drawn) idles(g *Game) screen {
	if g.config.Waits {
		return s
	}
	return nil
}

func (s *drawn) due(g *Game) time.Time {
	if g.config.Waits {
		return time.Time{}
	}
	return g.since.Add(drawTime)
}

func (s *cheer) pass(g *Game) {
	if g.puzzle != nil && g.puzzle.inARow == 0 {
		g.nextPuzzle()
		return
	}
	g.open(new(score))
}

func (s *score) pass(g *Game) {
	switch {
	case g.puzzle != nil:
		g.nextPuzzle()
	case g.won():
		g.open(new(victory))
	default:
		g.open(new(cleared))
	}
}

func (s *victory) pass(g *Game) { g.open(new(cleared)) }

func (s *cleared) pass(g *Game) {
	if g.won() {
		g.endMatch()
	} else {
		g.startRound("")
	}
}

func (s *drawn) pass(g *Game) { g.startRound("") }

func (s *cheer) view(g *Game, v *View) { v.Fresh = g.config.Waits && g.fresh() }
func (s *drawn) view(g *Game, v *View) { v.Fresh = g.config.Waits && g.fresh() }

func (s *cheer) draw(g *Game, p *picture) {
	landing{game: g.record.Game, rested: g.since}.draw(p)
	g.drawScore(&p.Frame)
	if g.config.Waits {
		p.changes(g.since.Add(endShown))
	}
}

func (s *score) draw(g *Game, p *picture) {
	if g.puzzle != nil {
		drawDigit(&p.Frame, g.puzzle.inARow, LEDWins)
		return
	}
	winner := g.position().Outcome().Winner()
	drawDigit(&p.Frame, g.record.Match.Points(winner), discLED(g.record.Match.Rules(), winner))
}

func (s *victory) draw(g *Game, p *picture) {
	replace(&p.Frame, LEDDark, discLED(g.record.Match.Rules(), g.record.Match.Winner()))
}

func (s *drawn) draw(g *Game, p *picture) {
	drawDiscs(&p.Frame, &g.record.Game)
	dimAll(&p.Frame)
	drawEquals(&p.Frame, g.record.Match.Rules())
	g.drawScore(&p.Frame)
	if g.config.Waits {
		p.changes(g.since.Add(endShown))
	}
}

func (s *cleared) draw(*Game, *picture) {}

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
