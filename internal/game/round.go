package game

import "github.com/c4hat/c4hat/board"

// skip ends a phase at the end of a round, when its time is up or a key is pressed, and starts the
// next one. After a solved puzzle, it shows how many were solved in a row.
func (t *step) skip() {
	won := t.record.Match.Winner() != board.Empty
	switch {
	case t.solving.on && (t.phase == Score || t.solving.inARow == 0):
		t.nextPuzzle()
	case t.phase == Cheer:
		t.enter(Score)
	case t.phase == Score && won:
		t.enter(Victory)
	case t.phase == Score, t.phase == Victory:
		t.enter(Clear)
	case t.phase == Clear && won:
		t.endMatch()
	default: // after a draw, or a win that did not decide the match
		t.startRound("")
	}
}

// land ends a fall: the turn passes, or the round is over.
func (t *step) land() {
	if t.solving.on {
		t.landPuzzle()
		return
	}
	t.behind = t.behind || t.saving != 0
	outcome := t.position().Outcome()
	if outcome == board.Playing {
		held := t.held
		t.turn()
		t.held = held // the key was already moving this turn's cursor
		if t.pauseNext {
			t.pause()
		} else if t.phase == Aim {
			t.catchUp()
		}
		return
	}
	before := t.record
	t.record = before.Count() // cannot fail: the round is part of the match
	if t.record.Match.Winner() != board.Empty {
		t.finish(before, false)
	}
	if outcome == board.Draw {
		t.enter(Drawn)
	} else {
		t.enter(Cheer)
	}
}

// startRound starts a round, after opening moves that have been checked.
func (t *step) startRound(opening string) {
	t.record.Game, _ = board.ParseGame(t.record.Match.Rules(), t.record.Match.Starter(), opening)
	t.record.Counted = false
	if t.record.Match.Played() == 0 {
		t.record.Opening = t.position().Ply()
	}
	t.unsaved = true
	t.startTurn()
}

// endMatch leaves a match that was won or abandoned.
func (t *step) endMatch() {
	t.solving.on = false
	if t.config.Forever {
		t.effects = append(t.effects, Rest{})
		t.enter(Menu)
		t.touched = t.now
		return
	}
	t.enter(Over)
	t.effects = append(t.effects, Stop{})
}
