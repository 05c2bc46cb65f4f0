package game

import (
	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// startPuzzles starts a series of puzzles in which the player needs that many discs to win.
func (t *step) startPuzzles(discs int) {
	t.solving = solving{length: discs}
	t.nextPuzzle()
}

func (t *step) nextPuzzle() {
	t.solving.on, t.solving.slipped = true, false
	t.enter(Making)
}

func (t *step) solve(p Puzzle) {
	position, first := p.Game.Position(), board.FirstRed
	if p.Game.Starter() == board.Yellow {
		first = board.FirstYellow
	}
	match, err := board.NewMatch(position.Rules(), 1, first, 0)
	if err != nil || p.Discs < 1 || p.Discs > MaxPuzzle {
		t.endMatch()
		return
	}
	t.solving.Puzzle = p
	t.rematch = false
	t.record = Record{
		ID: t.newID(), Match: match, Game: p.Game,
		Opening: position.Ply(), Computer: position.Turn().Other(), Level: levels.Perfect,
	}
	t.touched = t.now // the wait for the puzzle is not idle time
	t.startTurn()
}

func (t *step) line(ply int) int { return int(t.solving.Line[ply-t.record.Opening]) }

// landPuzzle ends a fall. A wrong disc is taken back, and blinks with the cursor above it. After a
// right disc, the player has won or the turn passes.
func (t *step) landPuzzle() {
	position := t.position()
	col, _, _ := t.record.Game.Last()
	if col != t.line(position.Ply()-1) {
		_ = t.record.Game.Undo() // it is on the board
		t.solving.slipped, t.solving.inARow = true, 0
		t.turn()
		t.cursor = col
		t.blink(Notice{Kind: NoticeWrong, Column: col})
		return
	}
	if position.Outcome() == board.Playing {
		t.turn()
		return
	}
	if !t.solving.slipped {
		t.solving.inARow++
	}
	t.enter(Cheer)
}

// skip ends a phase at the end of a round or a puzzle, when its time is up or a key is pressed. After
// a solved puzzle comes the number of puzzles solved in a row.
func (t *step) skip() {
	switch {
	case !t.solving.on:
		t.skipRound()
	case t.phase == Cheer && t.solving.inARow > 0:
		t.enter(Score)
	default:
		t.nextPuzzle()
	}
}
