package game

import "github.com/c4hat/c4hat/board"

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
