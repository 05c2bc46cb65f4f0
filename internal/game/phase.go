package game

import "slices"

// Phase names what the screen is showing, as a word that programs can compare.
type Phase string

const (
	Attract   Phase = "attract" // a demo plays while the machine is idle
	Menu      Phase = "menu"
	Aim       Phase = "aim"      // a person chooses a column
	Thinking  Phase = "thinking" // the computer chooses a column
	Fall      Phase = "fall"     // a disc is in the air
	Cheer     Phase = "cheer"    // the winning lines blink
	Score     Phase = "score"    // the winner's points are shown
	Victory   Phase = "victory"  // the screen fills with the colour of the match's winner
	Drawn     Phase = "draw"     // the round is a draw
	Clear     Phase = "clear"    // the screen is dark for 250 ms after a round
	Paused    Phase = "pause"
	Hinting   Phase = "hint"   // the score of each column is shown
	Reading   Phase = "read"   // somebody goes over the board, cell by cell
	Looking   Phase = "look"   // somebody steps through an earlier match
	Making    Phase = "puzzle" // a puzzle is being made
	Dark      Phase = "dark"   // the screen is dark: nobody did anything for the idle time
	Admitting Phase = "admit"  // a browser asks to be admitted
	Over      Phase = "over"   // the program is ending
)

// Ends reports whether the screen shows how a round has ended.
func (p Phase) Ends() bool { return slices.Contains([]Phase{Cheer, Score, Victory, Drawn, Clear}, p) }

// InMatch reports whether the screen shows a match.
func (p Phase) InMatch() bool {
	return p.Ends() || slices.Contains([]Phase{Aim, Thinking, Fall, Paused, Hinting, Reading, Looking}, p)
}
