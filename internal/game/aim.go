package game

import "github.com/c4hat/c4hat/board"

// startTurn begins a turn with the cursor at home.
func (t *step) startTurn() {
	t.queue = queue{}
	t.turn()
	t.cursor = t.home()
}

// aim lets a person choose a column, starting at the cursor.
func (t *step) aim() {
	t.enter(Aim)
	t.blinks = t.now
}

// choosing reports whether a column is chosen, or the disc before falls.
func (s *State) choosing() bool {
	switch s.phase {
	case Aim, Thinking, Hinting:
		return true
	case Fall:
		return s.position().Outcome() == board.Playing
	}
	return false
}

func (t *step) inAim(k Key, col int) {
	switch k {
	case Left, Right:
		t.sideways(k, false)
	case Down, Middle, columnKey:
		if !t.tooSoon {
			t.drop(col)
		}
	case undoKey:
		t.undo()
	case hintKey:
		t.hint()
	case Up, pauseKey:
		t.pause()
	}
}
