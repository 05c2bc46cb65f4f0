package game

import (
	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/match"
)

// puzzles is a series of puzzles. A puzzle is played like a match of one round against the
// computer, but is not saved.
type puzzles struct {
	Puzzle
	length  int  // the value of Discs of the puzzles to ask for
	inARow  int  // puzzles solved in a row without a wrong column
	slipped bool // a wrong column was played in this puzzle
}

// startPuzzles starts a series of puzzles in which the player needs that many discs to win.
func (g *Game) startPuzzles(discs int) {
	g.puzzle = &puzzles{length: discs}
	g.seats, g.failed = [2]seat{}, ""
	g.nextPuzzle()
}

func (g *Game) nextPuzzle() {
	g.puzzle.slipped = false
	g.open(new(making))
}

// making is a puzzle that is being made.
type making struct{ plain }

func (*making) press(g *Game, in input) {
	if in.key == Up || in.key == Back {
		g.endMatch()
	}
}

func (*making) ask(g *Game) {
	g.ask(Question{Kind: Compose, Discs: g.puzzle.length, Seed: g.chance.Uint64()})
}

func (*making) answer(g *Game, ev Answered) {
	p := ev.Puzzle
	position, first := p.Game.Position(), board.FirstRed
	if p.Game.Starter() == board.Yellow {
		first = board.FirstYellow
	}
	terms, err := board.NewMatch(position.Rules(), 1, first, 0)
	if err != nil || p.Discs < 1 || p.Discs > MaxPuzzle { // also if there is none
		g.endMatch()
		return
	}
	g.puzzle.Puzzle = p
	g.rematch = false
	g.record = Record{
		ID: g.newID(), Match: terms, Game: p.Game,
		Opening: position.Ply(), Computer: position.Turn().Other(), Level: match.Perfect,
	}
	g.touched = g.now // the wait for the puzzle is not idle time
	g.startTurn()
}

func (*making) show(_ *Game, p *picture) {
	p.Phase, p.Solving = Making, Solving{}
	menuSheet.draw(&p.Frame, puzzleIcon)
	dimAll(&p.Frame)
}

// move returns the column of the puzzle's line at a ply.
func (s *puzzles) move(g *Game, ply int) int { return int(s.Line[ply-g.record.Opening]) }

// land ends a fall. A wrong disc is taken back, and blinks with the cursor above it. After a
// right disc, the player has won or the turn passes.
func (s *puzzles) land(g *Game) {
	position := g.position()
	col, _, _ := g.record.Game.Last()
	if col != s.move(g, position.Ply()-1) {
		_ = g.record.Game.Undo() // it is on the board
		s.slipped, s.inARow = true, 0
		g.turn()
		g.cursor = col
		g.blink(Notice{Kind: NoticeWrong, Column: col + 1})
		return
	}
	if position.Outcome() == board.Playing {
		g.turn()
		return
	}
	if !s.slipped {
		s.inARow++
	}
	g.open(g.roundsEnd())
}

func (s *puzzles) view(g *Game) Solving {
	played := g.position().Ply() - g.record.Opening
	return Solving{On: true, Discs: s.Discs - (played+1)/2, InARow: s.inARow}
}
