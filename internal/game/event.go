package game

import (
	"cmp"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/match"
)

// A match has one shape everywhere; see package match.
type (
	Record = match.Record
	Setup  = match.Setup
)

// Event is something that happened: a key press, the passing of time, an answer to an [Effect].
type Event any

// Source identifies the sender of events. The zero value is the first panel of this machine.
type Source struct {
	Kind SourceKind
	ID   uint64 // different for each source of a kind
}

// SourceKind says what kind of sender a [Source] is.
type SourceKind uint8

const (
	Panel  SourceKind = iota // a panel of this machine, such as the HAT or a terminal
	Client                   // a connection to the socket
	Holder                   // the holder of a seat, whichever connection it uses
)

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

// Action is what a person did with a key. A device that cannot tell a held key from repeated presses
// sends presses.
type Action uint8

const (
	Pressed Action = iota
	Held           // a repeat while the key is held down
	Released
)

// Press is a press, hold or release of a key of the joystick, or of another device's with the same
// meaning.
type Press struct {
	Key    Key
	Action Action
}

// Column asks for a disc in a column, after a digit key or a click. Columns count from 0 on the left.
type Column struct{ Col int }

// Disc asks for a certain disc of the match: Number counts from 1 across all rounds. However often or
// late the event is sent, the disc falls only once. It may be [Refused].
type Disc struct{ Col, Number int }

// Point moves the cursor to the column that the mouse is over.
type Point struct{ Col int }

// Command is a key beyond the joystick's five.
type Command uint8

// The commands. With the joystick, Up pauses, and the pause screen offers Undo and Hint.
const (
	Undo Command = iota
	Hint
	Pause
	Back // pauses a match, resumes a paused one, and leaves any other screen for the one before it
	Less // with More: changes the value of the menu's selected entry, such as the level
	More
	OpenLook // in the menu and at the end of a round: looks back at the match
)

// Select moves the selection of the menu or the pause screen to an entry, as the mouse does, and
// Choose also takes the entry, without asking for a value first. Entries count from 0.
type (
	Select struct{ Entry int }
	Choose struct{ Entry int }
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

// Take takes a seat of the match under way for the event's source, which must be a [Holder]. It may
// be [Refused].
type Take struct {
	Player board.Disc
	Holder string // see [Seat]
}

// Leave opens the seat of the event's source. If the program that holds the seat has failed, Why
// says why. It may be [Refused].
type Leave struct {
	Why string `json:"failed,omitempty"`
}

// Seat says who may drop a player's discs. A seat is never saved: after a restart it is open.
type Seat struct {
	State  SeatState `json:"state,omitempty"`
	Holder string    `json:"name,omitempty"` // the name of the program that holds the seat, also after the match; empty for a person
}

// SeatState says who may drop the discs of a seat's player.
type SeatState string

const (
	Open  SeatState = ""      // anybody who holds no seat may drop them
	Taken SeatState = "taken" // only its holder may
	Away  SeatState = "away"  // only its holder may, but it is not connected
)

// Present says that the source has opened a stream of events, and Absent that it has closed one.
// While a stream is open, the source's seat stays taken. They may be [Refused].
type (
	Present struct{}
	Absent  struct{}
)

// Voice says that a program has begun to say aloud what the game shows or, if Gone, that it has stopped.
// While there is one, the pause screen offers to read the board.
type Voice struct{ Gone bool }

// Admit asks the people at the HAT for a digit, 1 to 9, which a browser shows. It may be [Refused].
type Admit struct {
	Digit int `json:"digit"`
}

// Withdraw ends the [Admission] with this ID, because the browser no longer waits for it.
type Withdraw struct{ ID int }

// Configure changes the setup of later matches, the idle time, and the level in the menu. It may be
// [Refused].
type Configure struct {
	Setup     Setup
	Idle      time.Duration
	MenuLevel match.Level
}

// Quit is a front's wish to leave, which the game never sees. Interrupted is true after Ctrl-C.
type Quit struct{ Interrupted bool }

// Tick is the passing of time and nothing else.
type Tick struct{}

// Saved answers the [Save] with this ID and all earlier ones: the match is on the disk or, if
// Failed, could not be written.
type Saved struct {
	ID     int
	Failed bool
}

// Answered is an answer to the [Question] with this ID, in the fields that belong to its kind.
type Answered struct {
	ID     int
	Failed bool // there is no answer
	More   bool // others follow; only of a [Review]

	Col     int // of a [Think]: the computer's column, from 0 on the left
	Advice  Advice
	Ply     int // of a [Review]: the disc of the verdict
	Verdict Verdict
	Puzzle  Puzzle
}

// Advice has the score of each column for the side to move. A column with a positive score wins,
// one with a negative score loses; the further the score is from zero, the sooner. Scores of full
// columns have no meaning.
type Advice struct {
	Score [board.MaxSide]int `json:"scores"`
	Exact bool               `json:"exact"`
	Why   Why                `json:"why,omitzero"` // why the best column is good, if the scores are exact
}

// Unknown reports whether an estimate found neither a win nor a loss in a column.
func (a Advice) Unknown(col int) bool { return !a.Exact && a.Score[col] == 0 }

// Best returns the legal column with the highest score; of several, the one nearest the middle, and of
// two such the left one. It is -1 after the round.
func (a Advice) Best(p board.Position) int {
	best, middle := -1, (p.Rules().Columns-1)/2
	for col := range p.LegalMoves() {
		nearer := max(col-middle, middle-col) < max(best-middle, middle-best)
		if best < 0 || a.Score[col] > a.Score[best] || a.Score[col] == a.Score[best] && nearer {
			best = col
		}
	}
	return best
}

// Verdict says how good a disc was. The scores are those of the side that dropped it, as in [Advice].
type Verdict struct {
	Known  bool                `json:"known"`
	Before int8                `json:"before"` // the best score that the side could reach with this disc
	After  int8                `json:"after"`
	Worth  [board.MaxSide]int8 `json:"worth"` // the score of each column, or only its outcome if it is not the best, as in [solver.Judgement]

	Remark  Remark `json:"remark,omitempty"`  // what everybody sees; empty: nothing
	Cells   Cells  `json:"cells,omitempty"`   // where a player could complete a line, if there is a remark
	Decided bool   `json:"decided,omitempty"` // it was the last disc that changed the outcome of a finished round

	// Of a disc that changed the outcome, both with a variation:
	Why    Why `json:"why,omitzero"`    // why the best answer to it is good, which proves the change
	Better Why `json:"better,omitzero"` // why the best column would have been good
}

// AtLeast returns the columns of the position before the disc with a worth that is not less.
func (v Verdict) AtLeast(p board.Position, worth int8) (columns []int) {
	for col := range p.LegalMoves() {
		if v.Known && v.Worth[col] >= worth {
			columns = append(columns, col)
		}
	}
	return columns
}

// Holding returns the columns that keep the outcome: every column that wins, however late, or every one that
// draws. If all lose, it returns those that lose last.
func (v Verdict) Holding(p board.Position) []int { return v.AtLeast(p, min(v.Before, 1)) }

// Marked reports whether there is something to say about the disc.
func (v Verdict) Marked() bool { return v.Remark != "" || v.Changed() }

// Seen reports whether people can see why the disc changed the outcome.
func (v Verdict) Seen() bool {
	return v.Remark != "" || v.After < 0 && v.Why.Kind.Seen() || v.Better.Kind.Seen()
}

// Changed reports whether the disc changed the outcome.
func (v Verdict) Changed() bool {
	return v.Known && cmp.Compare(v.Before, 0) != cmp.Compare(v.After, 0)
}

// Puzzle is a position in which exactly one column wins for the side to move, the player, in this
// turn and in each later one.
type Puzzle struct {
	Game  board.Game
	Discs int            // that the player needs to win
	Line  [maxLine]uint8 // the columns up to the win, the player's and the replies in turn
}

const (
	MaxPuzzle = 5 // the player's discs in the longest puzzles
	maxLine   = 2*MaxPuzzle - 1
)

// Answer is the answer to an [Admit].
type Answer string

const (
	Unanswered Answer = "waiting"
	Admitted   Answer = "admitted"
	Rejected   Answer = "refused" // by a key, or because nobody answered
)

// Admission is the last [Admit] and its answer. Before the first, its ID is 0.
type Admission struct {
	ID     int    `json:"id"`
	Digit  int    `json:"digit"`
	Answer Answer `json:"answer"`
}

// Effect is something that the game wants done: one of the types below. Effects are comparable.
type Effect any

// Question asks the computer for something. The answer is an [Answered] with the same ID. Only one question is
// open at a time.
type Question struct {
	ID      int
	Kind    QuestionKind
	Game    board.Game
	Level   match.Level `json:",omitzero"` // of a [Think]
	Opening int         // of a [Review]: the discs before it get no verdict
	Discs   int         // of a [Compose]: that the player needs to win
	Seed    uint64      // chooses among equal moves, or the puzzle
}

// QuestionKind says what a [Question] asks for.
type QuestionKind string

const (
	Think   QuestionKind = "think"   // the computer's column
	Advise  QuestionKind = "advise"  // an [Advice]
	Review  QuestionKind = "review"  // a [Verdict] on each disc, the last one first; each answer but the last has More
	Compose QuestionKind = "compose" // a [Puzzle]
)

// Forget cancels the [Question] with this ID.
type Forget struct{ ID int }

// Rest says that no question will follow for a while.
type Rest struct{}

// Save asks for the match to be saved. The answer is a [Saved] with the same ID or a later one.
type Save struct {
	ID     int
	Record Record
}

// Finish asks for a match to be entered into the history. If nobody has won it, it was given up.
type Finish struct{ Record Record }

// Refused tells the sender of the event why the event was refused.
type Refused struct{ Err error }

// Refusal is the reason that the game refuses an event. Clients of the socket tell refusals apart by
// their codes.
type Refusal struct{ Code, Text string }

func (r *Refusal) Error() string { return r.Text }

var (
	ErrUnderWay    = &Refusal{"under-way", "a match is under way"}
	ErrNoMatch     = &Refusal{"no-match", "no match is under way"}
	ErrTaken       = &Refusal{"taken", "the seat is taken"}
	ErrComputers   = &Refusal{"computers", "the seat is the computer's"}
	ErrNoSeat      = &Refusal{"no-seat", "the token holds no seat in this match"}
	ErrNotYours    = &Refusal{"not-yours", "another client plays this side"}
	ErrNotNow      = &Refusal{"not-now", "your disc comes too early or too late"}
	ErrAdmitting   = &Refusal{"admitting", "another browser is asking to be admitted: try again when it has its answer"}
	ErrAdmitMatch  = &Refusal{"match", "the HAT is in use: pause, or open its menu, then ask again"}
	ErrAdmitSoon   = &Refusal{"soon", "nobody admitted the last browser"}
	ErrAdmitNobody = &Refusal{"digit", "the digit must be 1 to 9"}
)

// Refusals has all refusals.
var Refusals = []*Refusal{
	ErrUnderWay, ErrNoMatch, ErrTaken, ErrComputers, ErrNoSeat, ErrNotYours, ErrNotNow,
	ErrAdmitting, ErrAdmitMatch, ErrAdmitSoon, ErrAdmitNobody,
}
