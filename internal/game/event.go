package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// Event is something that happened: a key press, the passing of time, an answer to an [Effect].
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

// Action is what a person did with a key.
type Action uint8

// The actions. A device that cannot tell a held key from repeated presses sends presses.
const (
	Pressed Action = iota
	Held           // a repeat while the key is held down
	Released
)

// Press is a press, hold or release of one of the joystick's keys, or of a key of another device
// with the same meaning.
type Press struct {
	Key    Key
	Action Action
}

// Column asks for a disc in a column, after a digit key or a click. Col counts from 0 on the left.
type Column struct{ Col int }

// Disc asks for a certain disc of the match. Number is the disc's number in the match, counted from
// 1 across all rounds. Col counts from 0 on the left. However often or late the event is sent, the
// disc falls only once. It may be [Refused].
type Disc struct{ Col, Number int }

// Point moves the cursor to the column that the mouse is over. Col counts from 0 on the left.
type Point struct{ Col int }

// Command is a key beyond the joystick's five.
type Command uint8

// The commands. With the joystick, Up pauses, and the pause screen offers Undo and Hint.
const (
	Undo Command = iota
	Hint
	Pause
)

// Start starts a match. It replaces a match that nobody has touched for the idle time or, with
// Force, any match. A seed other than zero makes the match reproducible. It may be [Refused].
type Start struct {
	Setup Setup
	Force bool
	Seed  uint64
	Take  Take // the seat to take; its Player is Empty for none
}

// End abandons the match under way, whoever plays it. It may be [Refused].
type End struct{}

// Configure changes the setup of later matches, and the idle time. The match under way keeps its
// setup. It may be [Refused].
type Configure struct {
	Setup Setup
	Idle  time.Duration
}

// Quit ends the program. Interrupted is true after Ctrl-C.
type Quit struct{ Interrupted bool }

// Tick is the passing of time and nothing else.
type Tick struct{}

// Saved answers the [Save] with this ID and all earlier ones: the match is on the disk or, if
// Failed, could not be written.
type Saved struct {
	ID     int
	Failed bool
}

// Chosen answers a [Think]. Col is the computer's column and counts from 0 on the left.
type Chosen struct{ ID, Col int }

// Advised answers an [Advise].
type Advised struct {
	ID     int
	Advice Advice
}

// Advice has the score of each column for the side to move. A column with a positive score wins,
// one with a negative score loses; the further the score is from zero, the sooner. Scores of full
// columns have no meaning. If the scores are not exact, a score of 0 is unknown: see
// [Advice.Unknown].
type Advice struct {
	Score [board.MaxSide]int
	Exact bool
}

// Judged answers a [Review] with the verdict on one disc of its game.
type Judged struct {
	ID, Ply int
	Verdict Verdict
}

// Composed answers a [Compose].
type Composed struct {
	ID     int
	Puzzle Puzzle
}

// Done says that a [Question] will get no answer or, if the question is a [Review], no more
// answers.
type Done struct{ ID int }

func (Press) event()     {}
func (Column) event()    {}
func (Disc) event()      {}
func (Point) event()     {}
func (Command) event()   {}
func (Start) event()     {}
func (End) event()       {}
func (Take) event()      {}
func (Leave) event()     {}
func (Present) event()   {}
func (Absent) event()    {}
func (Reachable) event() {}
func (Admit) event()     {}
func (Withdraw) event()  {}
func (Configure) event() {}
func (Quit) event()      {}
func (Tick) event()      {}
func (Saved) event()     {}
func (Chosen) event()    {}
func (Advised) event()   {}
func (Judged) event()    {}
func (Composed) event()  {}
func (Done) event()      {}

// Effect is something that the game wants done. Effects are comparable values.
type Effect interface{ effect() }

// Question is an effect that asks for an answer with the same ID. Only one is open at a time.
type Question interface {
	Effect
	Done() Done // the event to send instead of an answer
}

// Think asks for the computer's column at a level. The answer is [Chosen]. The seed chooses
// among equal moves.
type Think struct {
	ID    int
	Game  board.Game
	Level levels.Level
	Seed  uint64
}

// Advise asks for [Advice] on a game. The answer is [Advised].
type Advise struct {
	ID   int
	Game board.Game
}

// Review asks for verdicts on the discs of a game after its opening, the last disc first. The
// answers are a [Judged] for each disc, and then [Done].
type Review struct {
	ID      int
	Game    board.Game
	Opening int
}

// Compose asks for a puzzle in which the player needs the given number of discs to win. The answer
// is [Composed]. The seed chooses the puzzle.
type Compose struct {
	ID, Discs int
	Seed      uint64
}

// Forget cancels the [Question] with this ID.
type Forget struct{ ID int }

// Rest says that a match is over or that nobody looks back at one any longer, so no question will
// follow for a while.
type Rest struct{}

// Stop ends the program, because the match is over or after a [Quit].
type Stop struct{ Interrupted bool }

// Save asks for the match to be saved as it is now. The answer is a [Saved] with the same
// ID or a later one.
type Save struct {
	ID     int
	Record Record
}

// Finish asks for a match to be entered into the history.
type Finish struct {
	Record    Record
	Abandoned bool
}

// Refused tells the sender of the event why the event was refused.
type Refused struct{ Err error }

func (Review) effect()  {}
func (Compose) effect() {}
func (Think) effect()   {}
func (Advise) effect()  {}
func (Forget) effect()  {}
func (Rest) effect()    {}
func (Stop) effect()    {}
func (Save) effect()    {}
func (Finish) effect()  {}
func (Refused) effect() {}

// The Done methods of the questions.

func (q Think) Done() Done   { return Done{q.ID} }
func (q Advise) Done() Done  { return Done{q.ID} }
func (q Review) Done() Done  { return Done{q.ID} }
func (q Compose) Done() Done { return Done{q.ID} }
