package game

import "github.com/c4hat/c4hat/board"

// startTurn begins a turn with the cursor at home.
func (t *step) startTurn() {
	t.queue = queue{}
	t.turn()
	t.cursor = t.home()
}

// turn lets the player to move choose a column: a person from the cursor's column, the
// computer from the middle.
func (t *step) turn() {
	if !t.computersTurn() {
		t.enter(Aim)
		return
	}
	t.enter(Thinking)
	t.thought = thought{}
	t.cursor = t.home()
}

// computersTurn reports whether the computer is to move.
func (s *State) computersTurn() bool { return s.toMove() == s.record.Computer }

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

// undo returns to the last turn of a person: it takes one disc back, or two if the computer
// has replied. Only its holder can take back a disc of a taken seat.
func (t *step) undo() {
	player, plies := t.toMove().Other(), 1 // the person whose disc is taken back
	if t.record.Computer != board.Empty && !t.computersTurn() {
		player, plies = t.toMove(), 2
	}
	if t.position().Ply()-plies < t.record.OpeningOf(t.record.Match.Played()) {
		t.blink(Notice{Kind: NoticeNoUndo})
		return
	}
	if t.seats[0].final || t.seats[1].final {
		t.blink(Notice{Kind: NoticeFinal})
		return
	}
	if t.seat(player).holder != 0 && t.barred(t.from, player) {
		t.refuseSeat(NoticeTakenDisc)
		return
	}
	for range plies {
		_ = t.record.Game.Undo() // there is one
	}
	t.unsaved = true
	t.startTurn()
}
