package game

import (
	"math/rand/v2"
	"time"

	"github.com/c4hat/c4hat/board"
)

// Phase is what the screen shows at the moment.
type Phase uint8

// The phases.
const (
	Attract Phase = iota // a demo plays while the machine is idle
	Menu
	Aim      // a person chooses a column
	Thinking // the computer chooses a column
	Fall     // a disc is in the air
	Cheer    // the winning lines blink
	Score    // the winner's points
	Victory  // the match is won
	Drawn    // the round is a draw
	Clear    // a moment of darkness between rounds
	Paused
	Hinting   // the score of each column
	Looking   // somebody looks back at a match
	Making    // a puzzle is being made
	Dark      // idle for the idle time
	Admitting // a browser asks to be admitted
	Over      // the program ends
)

var phases = [...]struct {
	name    string
	inMatch bool
	length  time.Duration // 0: it depends
}{
	Attract:   {name: "attract"},
	Menu:      {name: "menu"},
	Aim:       {name: "aim", inMatch: true},
	Thinking:  {name: "thinking", inMatch: true},
	Fall:      {name: "fall", inMatch: true},
	Cheer:     {name: "cheer", inMatch: true, length: cheerTime},
	Score:     {name: "score", inMatch: true, length: scoreTime},
	Victory:   {name: "victory", inMatch: true, length: victoryTime},
	Drawn:     {name: "draw", inMatch: true, length: drawTime},
	Clear:     {name: "clear", inMatch: true, length: clearTime},
	Paused:    {name: "pause", inMatch: true},
	Hinting:   {name: "hint", inMatch: true, length: hintTime},
	Looking:   {name: "look", inMatch: true},
	Making:    {name: "puzzle"},
	Dark:      {name: "dark"},
	Admitting: {name: "admit", length: admitTime},
	Over:      {name: "over"},
}

// String returns the phase's name.
func (p Phase) String() string { return phases[p].name }

// InMatch reports whether the screen shows a match.
func (p Phase) InMatch() bool { return phases[p].inMatch }

// Config is fixed while the program runs, except for what [Configure] changes.
type Config struct {
	Setup                 // the default for matches
	Idle    time.Duration // the screen goes dark after this time without input; 0: never
	Seed    uint64        // of everything random
	Attract bool          // start with the demo instead of a match
	Menu    bool          // start with the menu instead of a match
	Waits   bool          // a hint, a draw and a won round stay until a key
	Forever bool          // after a match return to the menu instead of ending
	Run     string        // the prefix of the matches' IDs, unique to this run of the program
	Last    Record        // the last match that ended, to look back at; its ID may be empty
	Keeps   bool          // each [Save] is answered by [Saved], and the next turn waits for the answer
}

// State is the game at one moment. It is a value: [State.Step] returns the next one.
type State struct {
	config Config
	chance rand.PCG

	phase   Phase
	since   time.Time // when the phase began
	touched time.Time // the last input

	menu    menu
	rematch bool    // the menu offers the setup of the match again
	seats   [2]seat // of the match under way, red's first
	matches int     // started in this run of the program
	record  Record
	unsaved bool // the match has changed since the last save
	saves   int  // how many so far
	saving  int  // ID of the save that is not answered yet; 0: none
	behind  bool // a disc that has landed is not on the disk yet

	cursor    int
	blinks    time.Time // since when the cursor of a shared top row blinks
	windows   windows
	queue     queue     // keys that were pressed before a person's turn
	held      Key       // left or right, if pressed in this phase or turn: its repeats count
	moved     time.Time // the last time left or right did something
	pauseNext bool      // up was pressed while a disc fell
	refused   refusal
	notice    Notice

	choice  choice // of the pause screen
	resumes Phase  // the phase after the dark

	asked   int    // ID of the [Question] that is not answered yet; 0: none
	asker   Source // who asked for the last hint
	lastID  int
	advice  Advice
	thought thought

	demo    demo
	last    Record // the last match that ended
	look    look
	solving solving

	admission admission
}

// New starts a game: in the first round of a match, in the menu, or with the demo.
// The errors are those of [Setup.Check].
func New(c Config, now time.Time) (State, error) {
	t, err := begin(c, now)
	switch {
	case err != nil:
	case c.Attract:
		t.startDemo()
	case c.Menu:
		t.enter(Menu)
	default:
		t.startMatch(c.Setup)
	}
	return t.State, err
}

// Resume starts a game with a saved match. If its ID is empty, there is none, and Resume is
// like [New]. If its last round is already over, the last disc falls again.
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

// begin returns a game that shows nothing yet.
func begin(c Config, now time.Time) (step, error) {
	s := State{config: c, last: c.Last, menu: newMenu(c.First), chance: *rand.NewPCG(c.Seed, 0), since: now, touched: now}
	return step{State: s, now: now}, c.Check()
}

// Phase returns the current phase.
func (s State) Phase() Phase { return s.phase }

// position returns the board of the match.
func (s *State) position() board.Position { return s.record.Game.Position() }

// toMove returns the player to move.
func (s *State) toMove() board.Disc { return s.position().Turn() }
