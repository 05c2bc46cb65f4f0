package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
)

// fallTime is how long the disc dropped last is in the air, and a little on the
// ground; see fallLeast.
func (s *State) fallTime() time.Duration {
	_, row, _ := s.game.Last()
	rows := board.MaxSide - row
	return max(time.Duration(rows)*s.fallRow(), fallLeast)
}

// fallRow is how long a falling disc shows in each row.
func (s *State) fallRow() time.Duration {
	if s.sharedTop() {
		return fallRowFull
	}
	return fallRow
}

// skip goes on to the next phase, because it is time or because somebody
// pressed a key.
func (t *step) skip() {
	switch t.phase {
	case Fall:
		t.land()
	case Cheer:
		t.enter(Score)
	case Score:
		if t.match.Winner() != board.Empty {
			t.enter(Victory)
		} else {
			t.enter(Clear)
		}
	case Victory:
		t.enter(Clear)
	case Drawn:
		t.startRound("")
	case Clear:
		if t.match.Winner() != board.Empty {
			t.endMatch()
		} else {
			t.startRound("")
		}
	}
}

// land ends a fall: the turn passes, or the round is over.
func (t *step) land() {
	position := t.game.Position()
	outcome := position.Outcome()
	if outcome == board.Playing {
		held := t.held
		t.turn()
		t.held = held // the cursor was this turn's already
		if t.pauseNext {
			t.pause()
		}
		return
	}
	r := t.record()
	t.match, _ = t.match.Record(t.game) // a match under way takes every round of its own
	if t.match.Winner() != board.Empty {
		t.finish(r, false)
	}
	if outcome == board.Draw {
		t.enter(Drawn)
	} else {
		t.enter(Cheer)
	}
}

// startRound starts a round of the match, with moves on its board that were checked.
func (t *step) startRound(opening string) {
	t.game, _ = board.ParseGame(t.match.Rules(), t.match.Starter(), opening)
	position := t.game.Position()
	t.opening = position.Ply()
	t.unsaved = true
	t.startTurn()
}

// endMatch leaves the match, won or given up.
func (t *step) endMatch() {
	if t.config.Forever {
		t.effects = append(t.effects, Rest{})
		t.enter(Menu)
		t.touched = t.now
		return
	}
	t.enter(Over)
	t.effects = append(t.effects, Stop{})
}
