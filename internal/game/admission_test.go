package game

import (
	"slices"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
)

// Of all sequences of up to six keys, only those admit a browser that walk to its digit and then
// confirm it. So stray presses admit nobody.
func TestStrayPressesAdmitNobody(t *testing.T) {
	p := newPlayer(t, Config{Setup: Setup{Rules: board.Standard, Points: 1}, Attract: true, Forever: true})
	for digit := 1; digit <= maxDigit; digit++ {
		asked, _ := p.state.Step(start, Admit{digit})
		var try func(s State, pressed []Key)
		try = func(s State, pressed []Key) {
			switch s.admission.Answer {
			case Admitted:
				last, sideways := pressed[len(pressed)-1], pressed[:len(pressed)-1]
				left := !slices.Contains(sideways, Right) && len(sideways) == admitSteps
				right := !slices.Contains(sideways, Left) && len(sideways) == maxDigit-admitSteps
				if last != Middle && last != Down || !left && !right {
					t.Fatalf("%d: admitted by %v", digit, pressed)
				}
				return
			case Rejected:
				return
			}
			if len(pressed) == 6 {
				return
			}
			for _, k := range []Key{Left, Right, Up, Down, Middle} {
				next, _ := s.Step(start.Add(2*admitGrace+time.Duration(len(pressed))*time.Second), Press{Key: k})
				try(next, append(pressed, k))
			}
		}
		try(asked, nil)
	}
}
