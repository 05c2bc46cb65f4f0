package game

import "github.com/c4hat/c4hat/board"

// startTurn starts a turn with an empty queue and the cursor in its home column.
func (t *step) startTurn() {
	t.queue = queue{}
	t.turn()
	t.cursor = t.home()
}

// turn lets the player to move choose a column. A person's cursor stays where it is; the computer's
// starts in its home column.
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

// choosing reports whether a player is choosing a column, or will be as soon as the falling disc
// has landed.
func (s *State) choosing() bool {
	switch s.phase {
	case Aim, Thinking, Hinting:
		return true
	case Fall:
		return s.position().Outcome() == board.Playing
	}
	return false
}

// inTurn handles a key while a player chooses a column or a disc falls. During a fall, left and
// right move the cursor of the next turn or, if that turn is another player's, wait for the turn
// after it. Up pauses once the disc has landed. A column typed before a person's turn waits for
// that turn. Other drop keys are discarded.
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

// undo takes back a person's last disc, with the computer's reply if there is one. If that person's
// seat is taken, only the seat's holder can take the disc back.
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
	if t.seat(player).State != Open && t.barred(t.from, player) {
		t.refuseSeat(NoticeTakenDisc)
		return
	}
	for range plies {
		_ = t.record.Game.Undo() // the game has that many discs
	}
	t.unsaved = true
	t.startTurn()
}
