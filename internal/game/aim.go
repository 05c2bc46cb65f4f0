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

// inTurn handles a key while a column is chosen or a disc falls. While it falls, the cursor
// that left and right move is already the next player's, or that of the player after, and up
// pauses when it has landed. Before a person's turn typed columns wait for it; other keys that
// drop are discarded.
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
