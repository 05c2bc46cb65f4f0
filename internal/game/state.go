package game

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/c4hat/c4hat/board"
)

// Phase is what the screen is about at the moment.
type Phase uint8

// The phases.
const (
	Attract Phase = iota // a demo plays, nobody is here
	Menu
	Aim      // somebody chooses a column
	Thinking // the computer does
	Fall     // a disc is in the air
	Cheer    // the winning lines blink
	Score    // the winner's points
	Victory  // the match is won
	Drawn    // a round nobody won
	Clear    // a breath of darkness between rounds
	Paused
	Hinting // what each column is worth
	Dark    // left alone for the idle time
	Over    // nothing more to play
)

var phaseNames = [...]string{
	"attract", "menu", "aim", "thinking", "fall", "cheer", "score", "victory", "draw", "clear",
	"pause", "hint", "dark", "over",
}

// String is the phase's name.
func (p Phase) String() string {
	if int(p) < len(phaseNames) {
		return phaseNames[p]
	}
	return fmt.Sprintf("Phase(%d)", uint8(p))
}

// Config is what is fixed for as long as the program runs.
type Config struct {
	Rules    board.Rules // a line must fit
	Points   int         // that win a match, 1 to 3
	First    board.First
	Computer board.Disc    // the player that the computer is, if any
	Level    int           // of the computer, 1 to [Levels]
	Opening  string        // moves that are on the board when the first round starts
	Idle     time.Duration // left alone for so long the screen goes dark; 0: never
	Seed     uint64        // of all that is left to chance
	Attract  bool          // begin with the demo instead of a match
	Forever  bool          // after a match to the menu instead of the end
}

// Errors of a configuration.
var (
	ErrNoLine  = errors.New("game: no line fits on the board")
	ErrPoints  = errors.New("game: points out of range")
	ErrOpening = errors.New("game: the opening is already over")
	ErrLevel   = errors.New("game: no such level")
)

// State is the game at one moment. It is a value: [State.Step] leaves it as it
// is and gives the next one.
type State struct {
	config Config
	chance rand.PCG

	phase   Phase
	since   time.Time // the phase began
	touched time.Time // the last input

	page    page // of the menu, and so of what is being played
	match   board.Match
	game    board.Game
	opening int // plies of the round that were on the board before it

	cursor    int
	blinks    time.Time // the cursor of a shared top row blinks since
	dropped   time.Time // the last key that drops, whatever it did
	held      Key       // pressed in this phase or turn, so that its repeats count
	moved     time.Time // the last time left or right did something
	pauseNext bool      // up was pressed while a disc fell
	refused   refusal
	notice    Notice

	choice  choice // of the pause screen
	resumes Phase  // what the dark gives way to

	asked   int // ID of the advice or thought that is awaited; 0: none
	lastID  int
	advice  Advice
	thought thought

	demo demo
}

// New is the game as it begins: in the first round of a match, or with the demo.
// The errors are [ErrNoLine], [ErrPoints], [ErrOpening], [ErrLevel] and those of board.
func New(c Config, now time.Time) (State, error) {
	s := State{config: c, chance: *rand.NewPCG(c.Seed, 0), since: now, touched: now}
	if err := c.Rules.Check(); err != nil {
		return s, err
	}
	if !c.Rules.Winnable() {
		return s, fmt.Errorf("%w: %d in a row on %dx%d", ErrNoLine, c.Rules.Connect, c.Rules.Columns, c.Rules.Rows)
	}
	if c.Points < 1 || c.Points > maxPoints {
		return s, fmt.Errorf("%w: %d, want 1 to %d", ErrPoints, c.Points, maxPoints)
	}
	switch {
	case c.Computer != board.Empty && (c.Level < 1 || c.Level > Levels):
		return s, fmt.Errorf("%w: %d, want 1 to %d", ErrLevel, c.Level, Levels)
	case c.Computer != board.Empty:
		s.page = pageLevels + page(c.Level-1)
	case c.Rules.Full():
		s.page = pageFull
	}
	match, err := board.NewMatch(c.Rules, c.Points, c.First, s.chance.Uint64())
	if err != nil {
		return s, err
	}
	opening, err := board.ParseGame(c.Rules, match.Starter(), c.Opening)
	if err != nil {
		return s, err
	}
	position := opening.Position()
	if position.Outcome() != board.Playing {
		return s, ErrOpening
	}
	t := step{State: s, now: now}
	if c.Attract {
		t.page = pageTwo
		t.startDemo()
		return t.State, nil
	}
	t.match, t.game, t.opening = match, opening, position.Ply()
	t.startTurn()
	return t.State, nil
}

// Match is the match being played, or the last one.
func (s State) Match() board.Match { return s.match }

// Phase is what the game is doing.
func (s State) Phase() Phase { return s.phase }
