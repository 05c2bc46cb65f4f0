package game

import "github.com/c4hat/c4hat/board"

// startTurn begins a turn with the cursor at home.
func (t *step) startTurn() {
	t.queue = queue{}
	t.turn()
	t.cursor = t.home()
}

// choosing reports whether a player is choosing a column, or the disc before this turn is
// still falling.
func (s *State) choosing() bool {
	switch s.phase {
	case Aim, Thinking, Hinting:
		return true
	case Fall:
		return s.position().Outcome() == board.Playing
	}
	return false
}

// inTurn handles a key while a column is chosen or a disc falls. During a fall, left and right
// already move the cursor of the next turn, or wait for the turn after it, and up pauses once
// the disc has landed. Columns typed before a person's turn wait for it; other keys that drop
// are discarded.
func (t *step) inTurn(k Key, col int) {
	switch k {
	case Left, Right:
		t.sideways(k, false)
	case Down, Middle, columnKey:
		if t.phase == Aim && !t.tooSoon {
			t.drop(col)
		} else if t.phase != Aim && k == columnKey {
			t.wait(k, col)
		}
	case undoKey:
		if t.choosing() {
			t.undo()
		}
	case hintKey:
		if t.phase != Fall {
			t.hint()
		}
	case Up, pauseKey:
		if t.phase == Fall {
			t.pauseNext = true
		} else {
			t.pause()
		}
	}
}
