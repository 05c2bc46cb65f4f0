package game

import (
	"math/rand/v2"
	"time"

	"github.com/c4hat/c4hat/board"
)

// Phase says what the screen is showing.
type Phase uint8

// The phases.
const (
	Attract Phase = iota // a demo plays while the machine is idle
	Menu
	Aim      // a person chooses a column
	Thinking // the computer chooses a column
	Fall     // a disc is in the air
	Cheer    // the winning lines blink
	Score    // the winner's points are shown
	Victory  // the screen fills with the colour of the match's winner
	Drawn    // the round is a draw
	Clear    // the screen is dark for 250 ms after a round
	Paused
	Hinting   // the score of each column is shown
	Looking   // somebody steps through an earlier match
	Making    // a puzzle is being made
	Dark      // the screen is dark: nobody did anything for the idle time
	Admitting // a browser asks to be admitted
	Over      // the program is ending
)

var phases = [...]struct {
	name    string
	inMatch bool
	length  time.Duration // 0: not fixed
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
	Idle    time.Duration // the screen goes dark if nobody does anything for this time; 0: never
	Seed    uint64        // seeds everything that is random
	Attract bool          // start with the demo instead of a match
	Menu    bool          // start with the menu instead of a match
	Waits   bool          // hints and the ends of rounds are shown until a key is pressed
	Forever bool          // after a match return to the menu instead of ending
	Run     string        // prefix of the matches' IDs, unique to this run of the program
	Last    Record        // the last match that ended, to look back at; its ID is empty if there is none
	Keeps   bool          // each [Save] is answered by [Saved], and the next turn waits for the answer
}

// State is the game at one moment. It is a value: [State.Step] returns the next one.
type State struct {
	config Config
	chance rand.PCG

	phase   Phase
	since   time.Time // when the phase began
	touched time.Time // when somebody last did something

	menu    menu
	rematch bool    // the menu offers a rematch with the last match's setup
	seats   [2]seat // of the match under way, red's first
	failed  string  // why a program has given up its seat, in the position failedAt

	failedAt board.Game
	matches  int // how many matches have started in this run of the program
	record   Record
	unsaved  bool // the match has changed since the last save
	saves    int  // the number of saves so far
	saving   int  // ID of the [Save] that has not been answered; 0: none
	behind   bool // a disc that has landed is not on the disk yet

	cursor    int
	blinks    time.Time // when the cursor began to blink, if it shares the top row
	windows   windows
	queue     queue     // keys that were pressed before a person's turn
	held      Key       // left or right, if pressed in this phase or turn; only this key repeats
	moved     time.Time // when left or right last did something
	pauseNext bool      // up was pressed while a disc fell
	refused   refusal
	notice    Notice

	choice  choice // the icon that is selected on the pause screen
	resumes Phase  // the phase that follows Dark

	asked   int    // ID of the [Question] that has not been answered; 0: none
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

// New starts a game in the first round of a match, in the menu or with the demo, as configured. The
// errors are those of [Setup.Check].
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

// Resume starts a game with a saved match. If the record's ID is empty, there is no match, and
// Resume is like [New]. If the last round is over, its last disc falls again.
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

// begin returns a game before its first phase. The errors are those of [Setup.Check].
func begin(c Config, now time.Time) (step, error) {
	s := State{config: c, last: c.Last, menu: newMenu(c.First), chance: *rand.NewPCG(c.Seed, 0), since: now, touched: now}
	return step{State: s, now: now}, c.Check()
}

// Phase returns the current phase.
func (s State) Phase() Phase { return s.phase }

// position returns the current position of the match.
func (s *State) position() board.Position { return s.record.Game.Position() }

// toMove returns the player to move.
func (s *State) toMove() board.Disc { return s.position().Turn() }
