package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
)

// View is what a panel shows at one moment: the picture on the LEDs, and what panels with text show
// in addition. Views are comparable.
type View struct {
	Frame     Frame
	Phase     Phase
	UnderWay  bool    // there is a match without a winner so far, even if the screen is dark
	Record            // the current match or the last one; its ID is empty before the first match
	Cursor    int     // the cursor's column from 0, while a player is choosing one
	Choices   Choices // of the menu or the pause screen
	Advice    Advice  // while a hint is shown
	Notice    Notice  // why a key was refused
	Admission Admission
	Look      Look    // while somebody looks back at a match
	Solving   Solving // while the match is a puzzle
	Seats     [2]Seat // of the match under way, red's first
	Failed    string  // why a program has given up its seat, until the next disc
	Unsaved   bool    // a disc that has landed is not on the disk: a power cut would lose it

	// Number numbers the views of a session: each view has a higher number than the one before it.
	// The game leaves it 0.
	Number uint64

	// Lost says that the service cannot be reached at the moment, so that the view may be out of
	// date. The game leaves it false.
	Lost bool
}

// Unattended reports whether the computer or programs play both sides.
func (v *View) Unattended() bool {
	for i, seat := range v.Seats {
		if seat.Holder == "" && v.Computer != board.Red+board.Disc(i) {
			return false
		}
	}
	return true
}

// MaxChoices is the largest number of choices on a page of the menu.
const MaxChoices = 8

// Choices has, in words, the choices on a page of the menu or on the pause screen.
type Choices struct {
	Page   string             // the page's title; empty if no page is shown
	Names  [MaxChoices]string // from left to right; unused ones are empty
	Chosen int
}

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

// set fills in the page.
func (c *Choices) set(page string, names []string, chosen int) {
	c.Page, c.Chosen = page, chosen
	copy(c.Names[:], names)
}

// TakenTurn reports whether the seat of the player to move is taken.
func (v *View) TakenTurn() bool {
	return v.Seats[v.Game.Position().Turn()-board.Red].State != Open
}

// View returns the view at a moment. It allocates nothing.
func (s State) View(now time.Time) View {
	v := View{
		Phase:     s.phase,
		UnderWay:  s.underWay(),
		Record:    s.record,
		Cursor:    s.cursor,
		Notice:    s.notice,
		Admission: s.admission.Admission,
		Seats:     [2]Seat{s.seats[0].Seat, s.seats[1].Seat},
		Unsaved:   s.behind,
	}
	if s.failedAt == s.record.Game {
		v.Failed = s.failed
	}
	switch s.phase {
	case Menu:
		v.Choices = s.menuChoices()
	case Paused:
		v.Choices.set("pause", choiceNames[:], int(s.choice))
	case Hinting:
		v.Advice = s.advice
	case Looking:
		s.look.view(&v)
	}
	if s.solving.on && s.phase != Making {
		v.Solving = s.solving.view(&s.record)
	}
	s.draw(&v.Frame, now)
	return v
}
