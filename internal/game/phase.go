package game

import (
	"fmt"
	"slices"
)

// Phase names what the screen is showing.
type Phase uint8

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
	Reading   // somebody goes over the board, cell by cell
	Looking   // somebody steps through an earlier match
	Making    // a puzzle is being made
	Dark      // the screen is dark: nobody did anything for the idle time
	Admitting // a browser asks to be admitted
	Over      // the program is ending
)

var phaseNames = [...]string{
	Attract: "attract", Menu: "menu", Aim: "aim", Thinking: "thinking", Fall: "fall", Cheer: "cheer",
	Score: "score", Victory: "victory", Drawn: "draw", Clear: "clear", Paused: "pause", Hinting: "hint",
	Reading: "read", Looking: "look", Making: "puzzle", Dark: "dark", Admitting: "admit", Over: "over",
}

func (p Phase) String() string { return phaseNames[p] }

// MarshalText returns the phase's name.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText is the inverse of MarshalText.
func (p *Phase) UnmarshalText(name []byte) error {
	i := slices.Index(phaseNames[:], string(name))
	if i < 0 {
		return fmt.Errorf("unknown phase %q", name)
	}
	*p = Phase(i)
	return nil
}

// InMatch reports whether the screen shows a match.
func (p Phase) InMatch() bool {
	switch p {
	case Aim, Thinking, Fall, Cheer, Score, Victory, Drawn, Clear, Paused, Hinting, Reading, Looking:
		return true
	}
	return false
}
