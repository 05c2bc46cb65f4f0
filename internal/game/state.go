package game

import (
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

// InMatch says whether the screen is about a match, not about what comes before one,
// after it, or instead.
func (p Phase) InMatch() bool {
	switch p {
	case Attract, Menu, Dark, Over:
		return false
	}
	return true
}

// Config is what is fixed for as long as the program runs, but for [Configure].
type Config struct {
	Setup                 // of matches, where nobody asks for another
	Idle    time.Duration // left alone for so long the screen goes dark; 0: never
	Seed    uint64        // of all that is left to chance
	Attract bool          // begin with the demo instead of a match
	Forever bool          // after a match to the menu instead of the end
	Run     string        // begins the matches' IDs: a name that no other run of the program has
	Keeps   bool          // each [Save] is answered by [Saved], and a disc that has landed waits for its own
}

// State is the game at one moment. It is a value: [State.Step] leaves it as it
// is and gives the next one.
type State struct {
	config Config
	chance rand.PCG

	phase   Phase
	since   time.Time // the phase began
	touched time.Time // the last input

	page    page  // of the menu
	setup   Setup // of the match
	rematch bool  // the menu offers that again
	matches int   // begun by this run of the program
	record  Record
	unsaved bool // the match has changed since it was given away to be kept
	saves   int  // given away so far
	saving  int  // ID of the save that is awaited; 0: none

	cursor    int
	blinks    time.Time // the cursor of a shared top row blinks since
	windows   windows
	queue     queue     // presses for the turn after the computer's
	held      Key       // pressed in this phase or turn, so that its repeats count
	moved     time.Time // the last time left or right did something
	pauseNext bool      // up was pressed while a disc fell
	refused   refusal
	notice    Notice

	choice  choice // of the pause screen
	resumes Phase  // what the dark gives way to

	asked   int    // ID of the advice or thought that is awaited; 0: none
	asker   Source // of the last hint
	lastID  int
	advice  Advice
	thought thought

	demo demo
}

// New is the game as it begins: in the first round of a match, or with the demo.
// The errors are those of [Setup.Check].
func New(c Config, now time.Time) (State, error) {
	t, err := begin(c, now)
	switch {
	case err != nil:
	case c.Attract:
		t.startDemo()
	default:
		t.startMatch(c.Setup)
	}
	return t.State, err
}

// Resume is the game with a match that was kept; without one, when its ID is empty, it is
// [New]. A round that was decided in it already is cheered now.
func Resume(c Config, r Record, now time.Time) (State, error) {
	if r.ID == "" {
		return New(c, now)
	}
	t, err := begin(c, now)
	if err == nil {
		t.resume(r)
	}
	return t.State, err
}

// begin is the game with nothing on its screen yet.
func begin(c Config, now time.Time) (step, error) {
	s := State{config: c, chance: *rand.NewPCG(c.Seed, 0), since: now, touched: now}
	return step{State: s, now: now}, c.Check()
}

// Match is the match being played, or the last one.
func (s State) Match() board.Match { return s.record.Match }

// Phase is what the game is doing.
func (s State) Phase() Phase { return s.phase }
