package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// Puzzle is a position in which exactly one column wins for the side to move. The person who solves
// the puzzle, called the player, plays that side. Later turns of the player have exactly one
// winning column too.
type Puzzle struct {
	Game  board.Game
	Discs int // that the player needs to win
	// Line has the columns up to the win, the player's and the replies in turn, counted from 0 on
	// the left.
	Line [maxLine]uint8
}

const (
	MaxPuzzle = 5 // the player's discs in the longest puzzles
	maxLine   = 2*MaxPuzzle - 1
)

// solving is the state while somebody solves puzzles. A puzzle is played like a match of one round
// against the computer, but is not saved.
type solving struct {
	Puzzle
	on      bool // the round is a puzzle
	length  int  // the value of Discs of the puzzles to ask for
	inARow  int  // puzzles solved in a row without a wrong column
	slipped bool // a wrong column was played in this puzzle
}

// Solving is the player's progress with puzzles.
type Solving struct {
	On     bool `json:"-"`
	Discs  int  `json:"discs"`    // that the player still needs to win
	InARow int  `json:"in_a_row"` // puzzles solved without a wrong column
}

// NewPuzzles starts a game of puzzles that the player wins with a number of discs, 1 to 5.
func NewPuzzles(c Config, discs int, now time.Time) (State, error) {
	t, err := begin(c, now)
	if err == nil {
		t.startPuzzles(discs)
	}
	return t.State, err
}

// startPuzzles starts a series of puzzles in which the player needs that many discs to win.
func (t *step) startPuzzles(discs int) {
	t.solving = solving{length: discs}
	t.nextPuzzle()
}

// nextPuzzle waits for a puzzle to be made.
func (t *step) nextPuzzle() {
	t.solving.on, t.solving.slipped = true, false
	t.enter(Making)
}

// solve starts a puzzle that has been made.
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

// line returns the puzzle's column at a ply of the round.
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
		t.blink(Notice{NoticeWrong, col})
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

// view returns the progress to show in a view.
func (s *solving) view(r *Record) Solving {
	return Solving{On: true, Discs: s.Discs - (r.Game.Position().Ply()-r.Opening+1)/2, InARow: s.inARow}
}
