package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
)

// Event is something that happened: an input, the passing of time, an answer to
// an [Effect].
type Event interface{ event() }

// Key is one of the joystick's five.
type Key uint8

// The keys, as seen by a person who looks at the matrix the right way up.
const (
	Up Key = iota + 1
	Down
	Left
	Right
	Middle
)

// Action is what was done with a key.
type Action uint8

// The actions. A device that cannot tell a held key from presses sends presses.
const (
	Pressed Action = iota
	Held           // the device's autorepeat
	Released
)

// Press is a key of the joystick, or one that stands for it.
type Press struct {
	Key    Key
	Action Action
}

// Column asks for a disc in a column, from 0: a digit key or a click.
type Column struct{ Col int }

// Point moves the cursor to a column, from 0: the mouse passing over it.
type Point struct{ Col int }

// Command is a key beyond the joystick's five.
type Command uint8

// The commands. On the joystick they stand in the pause screen.
const (
	Undo Command = iota
	Hint
	Pause
)

// Start begins a match with a setup, also in the place of one that nobody has
// touched for the idle time or, forced, of any. A seed that is not zero makes what
// is left to chance repeatable. It may be [Refused].
type Start struct {
	Setup Setup
	Force bool
	Seed  uint64
}

// End gives the match under way up, whoever plays it. It may be [Refused].
type End struct{}

// Configure changes what later matches are played by, and the idle time. The match under
// way stays as it is. It may be [Refused].
type Configure struct {
	Setup Setup
	Idle  time.Duration
}

// Quit ends the program. Interrupted tells Ctrl-C from an orderly end.
type Quit struct{ Interrupted bool }

// Tick is the passing of time and nothing else.
type Tick struct{}

// Saved answers a [Save]: the match is on the disk, or cannot be written. It answers the
// saves before it too.
type Saved struct{ ID int }

// Chosen answers a [Think]: the computer's column, from 0.
type Chosen struct{ ID, Col int }

// ThinkFailed says that a [Think] could not be answered.
type ThinkFailed struct{ ID int }

// Advised answers an [Advise].
type Advised struct {
	ID     int
	Advice Advice
}

// AdviceFailed says that an [Advise] could not be answered.
type AdviceFailed struct{ ID int }

// Advice is what each column is worth to the side to move: above zero it wins
// there, below it loses, and the further from zero the sooner. Columns that are
// full have no meaning here. An estimate may take a win or a loss that lies far
// ahead for a draw.
type Advice struct {
	Score [board.MaxSide]int
	Exact bool
}

func (Press) event()        {}
func (Column) event()       {}
func (Point) event()        {}
func (Command) event()      {}
func (Start) event()        {}
func (End) event()          {}
func (Configure) event()    {}
func (Quit) event()         {}
func (Tick) event()         {}
func (Saved) event()        {}
func (Chosen) event()       {}
func (ThinkFailed) event()  {}
func (Advised) event()      {}
func (AdviceFailed) event() {}

// Effect is something that the game wants done. Effects are plain comparable data.
type Effect interface{ effect() }

// Think wants the column that the computer plays at a level, see internal/levels,
// answered by [Chosen] or [ThinkFailed] with the same ID. Equal moves are chosen
// between by the seed.
type Think struct {
	ID    int
	Game  board.Game
	Level int
	Seed  uint64
}

// Advise wants [Advice] on a game, answered by [Advised] or [AdviceFailed] with
// the same ID.
type Advise struct {
	ID   int
	Game board.Game
}

// Forget takes an [Advise] or a [Think] back: nobody waits for it any more.
type Forget struct{ ID int }

// Rest says that a match is over: nobody thinks or asks for advice for a while.
type Rest struct{}

// Stop ends the program: the match is over, or somebody quit.
type Stop struct{ Interrupted bool }

// Save wants the match kept as it is now, in place of what was kept of it before. It is
// answered by [Saved] with the same ID, or with that of a later one.
type Save struct {
	ID     int
	Record Record
}

// Finish wants a match entered among those that are over.
type Finish struct {
	Record    Record
	Abandoned bool
}

// Refused says that the event was not let happen, and why.
type Refused struct{ Err error }

func (Think) effect()   {}
func (Advise) effect()  {}
func (Forget) effect()  {}
func (Rest) effect()    {}
func (Stop) effect()    {}
func (Save) effect()    {}
func (Finish) effect()  {}
func (Refused) effect() {}
