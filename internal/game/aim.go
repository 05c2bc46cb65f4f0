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
		position := s.record.Game.Position()
		return position.Outcome() == board.Playing
	}
	return false
}

func (t *step) inAim(ev Event) {
	switch ev := ev.(type) {
	case Press:
		switch ev.Key {
		case Left, Right:
			t.sideways(ev.Key, false)
		case Down, Middle:
			if !t.tooSoon {
				t.drop(t.cursor)
			}
		case Up:
			t.pause()
		}
	case Column:
		if !t.tooSoon {
			t.drop(ev.Col)
		}
	case Command:
		switch ev {
		case Undo:
			t.undo()
		case Hint:
			if t.barred(t.from, t.toMove()) {
				t.refuseSeat(NoticeTaken)
				return
			}
			t.askHint()
		case Pause:
			t.pause()
		}
	}
}
