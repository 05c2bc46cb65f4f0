package game

import (
	"encoding/json"

	"github.com/c4hat/c4hat/board"
)

// View is what is shown at one moment: the picture on the LEDs, and what panels with text show in
// addition. Views are comparable. The socket sends its JSON. Package api adds the match, and what follows from it
// for clients that do not know the rules.
type View struct {
	Phase     Phase      `json:"phase"`
	UnderWay  bool       `json:"under_way"` // there is a match without a winner so far, even if the screen is dark
	Record    `json:"-"` // the current match or the last one; its ID is empty before the first match
	Cursor    int        `json:"-"`             // the cursor's column from 0, while a player is choosing one or somebody reads the board
	Row       int        `json:"row,omitempty"` // of the cell that is being read, from 1; 0: the whole column is read
	Choices              // of the menu or the pause screen
	Advice    Advice     `json:"hint,omitzero"`   // while a hint is shown
	Notice    Notice     `json:"notice,omitzero"` // why a key was refused
	Admission Admission  `json:"admission,omitzero"`
	Look      Look       `json:"look,omitzero"`     // while somebody looks back at a match
	Solving   Solving    `json:"puzzle,omitzero"`   // while the match is a puzzle
	Seats     [2]Seat    `json:"-"`                 // of the match under way, red's first
	Failed    string     `json:"failed,omitempty"`  // why a program has given up its seat, until the next disc or program
	Unsaved   bool       `json:"unsaved,omitempty"` // a disc that has landed is not on the disk: a power cut would lose it
	Parked    bool       `json:"waits,omitempty"`   // the menu offers to resume a match
	Next      Setup      `json:"-"`                 // what a new match against the computer has unless somebody chooses otherwise; no points without a menu
	Fresh     bool       `json:"-"`                 // the picture waits for a key, but not for one that comes so soon
	Frame     Frame      `json:"leds"`

	// Number numbers the views of a session: each view has a higher number than the one before it.
	// The game leaves it 0.
	Number uint64 `json:"number"`

	// Lost says that the service cannot be reached at the moment, so that the view may be out of
	// date. The game leaves it false.
	Lost bool `json:"-"`
}

// Replaces reports whether the match has no disc yet, and its first one gives up a match that waits.
func (v *View) Replaces() bool { return v.Parked && v.UnderWay && !v.Begun() }

// Unattended reports whether the computer or programs play both sides.
func (v *View) Unattended() bool {
	for i, seat := range v.Seats {
		if seat.Holder == "" && v.Computer != board.Red+board.Disc(i) {
			return false
		}
	}
	return true
}

// Alone reports whether one person plays, against the computer.
func (v *View) Alone() bool {
	return v.Computer != board.Empty && v.Seats[v.Computer.Other()-board.Red].Holder == ""
}

// TakenTurn reports whether the seat of the player to move is taken.
func (v *View) TakenTurn() bool {
	return v.Seats[v.Game.Position().Turn()-board.Red].State != Open
}

// Lit returns the picture of the board alone: an empty one if no match is under way.
func (v *View) Lit() (f Frame) {
	g, _ := board.NewGame(board.Standard, board.Red) // the rules are valid
	if v.UnderWay {
		g = v.Game
	}
	drawDiscs(&f, &g)
	return f
}

// Look describes what is shown while somebody looks back at a match.
type Look struct {
	Round  int     `json:"round"` // from 1
	Rounds int     `json:"rounds"`
	Discs  int     `json:"discs"` // in the whole round; the view's Game has only those shown
	Last   Verdict `json:"last"`  // on the last disc shown
	Next   Verdict `json:"next"`
	Plays  bool    `json:"plays"`          // discs drop by themselves
	Exact  bool    `json:"exact"`          // verdicts are available on this board
	Lost   int     `json:"lost,omitempty"` // the disc, from 1, that lost the round; 0 if none is known
	Only   bool    `json:"-"`              // nothing else is shown, so up and down do not leave

	Variation Variation `json:"variation,omitempty"` // of the last disc, which is shown; empty: none
	Step      int       `json:"step,omitempty"`      // how many of its discs are on the board
}

// Why returns the variation that is shown, and its reason.
func (l *Look) Why() Why { return l.Last.of(l.Variation) }

// of returns the reason of a variation.
func (v Verdict) of(variation Variation) Why {
	switch variation {
	case Refutation:
		return v.Why
	case Improvement:
		return v.Better
	}
	return Why{}
}

// Long reports whether a variation has too many discs to name each.
func (l *Look) Long() bool { return asideEvery(len(l.Why().Line)) < lookEvery }

// Hurries reports whether the discs of a long variation drop by themselves.
func (l *Look) Hurries() bool {
	discs := len(l.Why().Line)
	return l.Plays && l.Step > 0 && l.Step < discs && l.Long()
}

// Board returns the game on the board: Game or, while a variation is shown, that.
func (v *View) Board() board.Game {
	g := v.Game
	if v.Look.Variation == Improvement {
		_ = g.Undo() // its last disc has a mark
	}
	return v.Look.Why().Play(g, v.Look.Step)
}

// Solving is the player's progress with puzzles.
type Solving struct {
	On     bool `json:"on"`       // the match is a puzzle
	Discs  int  `json:"discs"`    // that the player still needs to win
	InARow int  `json:"in_a_row"` // puzzles solved without a wrong column
}

// MaxChoices is the largest number of choices on a page of the menu.
const MaxChoices = 8

// Choices has, in words, the choices on a page of the menu or on the pause screen.
type Choices struct {
	Page   string `json:"page,omitempty"` // the page's title; empty if no page is shown
	Names  Names  `json:"items,omitzero"` // from left to right
	Chosen int    `json:"-"`
}

// Names has the names of choices; unused ones are empty.
type Names [MaxChoices]string

// MarshalJSON leaves out unused names.
func (n Names) MarshalJSON() ([]byte, error) { return json.Marshal(Choices{Names: n}.All()) }

// Name returns the name of the chosen entry; it is empty if there is no page.
func (c Choices) Name() string { return c.Names[c.Chosen] }

// All returns the names on the page.
func (c Choices) All() []string {
	n := 0
	for n < len(c.Names) && c.Names[n] != "" {
		n++
	}
	return c.Names[:n]
}

// NoticeKind is the reason that a [Notice] gives, as a word that programs can compare.
type NoticeKind string

const (
	NoticeNone      NoticeKind = ""
	NoticeFull      NoticeKind = "full"
	NoticeNoColumn  NoticeKind = "no-column"
	NoticeNoUndo    NoticeKind = "no-undo"
	NoticeNoHint    NoticeKind = "no-hint"
	NoticeClosed    NoticeKind = "hint-closed" // the key only closed a hint
	NoticeNotDue    NoticeKind = "not-due"     // a column was typed before its turn
	NoticeThinking  NoticeKind = "thinking"
	NoticeWrong     NoticeKind = "wrong"
	NoticeNoMatch   NoticeKind = "no-match"
	NoticeTaken     NoticeKind = "taken"
	NoticeTakenDisc NoticeKind = "taken-disc"
	NoticeFirst     NoticeKind = "first" // nothing comes before what is chosen or shown
	NoticeLast      NoticeKind = "last"
)

// Notice says why a key was refused. It lasts until the next key press.
type Notice struct {
	Kind   NoticeKind `json:"kind"`
	Column int        `json:"column,omitempty"` // from 1, if the notice names one
	Again  int        `json:"again,omitempty"`  // how many key presses before this one were refused for the same reason, in a row
}
