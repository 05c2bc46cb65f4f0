package game

import (
	"errors"
	"time"

	"github.com/c4hat/c4hat/board"
)

// drops reports whether an event is a key that drops.
func drops(ev Event) bool {
	switch ev := ev.(type) {
	case Press:
		return ev.Key == Down || ev.Key == Middle
	case Column:
		return true
	}
	return false
}

// disc handles a disc with a number. It never waits in the queue, where it could wait twice.
func (t *step) disc(ev Disc) {
	err := ErrNotNow
	switch {
	case !t.underWay():
		err = ErrNoMatch
	case ev.Number != t.record.Discs()+1, t.phase == Fall, t.phase == Thinking, t.phase == Paused:
	default:
		t.input(Column{ev.Col})
		return
	}
	t.effects = append(t.effects, Refused{err})
}

// drop drops a disc, or refuses: the player keeps the turn.
func (t *step) drop(col int) {
	if err := t.record.Game.Play(col); err != nil {
		kind := NoticeNoColumn
		if errors.Is(err, board.ErrColumnFull) {
			kind = NoticeFull
		}
		t.refuse(2, Notice{kind, col})
		return
	}
	t.fall()
}

// refuses reports whether a key that drops names a column that takes no disc.
func (t *step) refuses(ev Event) bool {
	if t.phase != Aim && t.phase != Fall {
		return false
	}
	col := t.cursor
	if c, ok := ev.(Column); ok {
		col = c.Col
	}
	position := t.record.Game.Position()
	return !position.Legal(col)
}

// fall shows the last disc falling.
func (t *step) fall() {
	t.enter(Fall)
	t.unsaved = true
	t.pauseNext = false
	t.cursor = t.home()
	t.catchUp()
}

// inFall handles input while a disc falls. The cursor that left and right move is already
// the next player's, or that of the player after. Up pauses when the disc has landed. Typed
// columns wait for the turn; other keys that drop are discarded.
func (t *step) inFall(ev Event) {
	switch ev := ev.(type) {
	case Press:
		switch ev.Key {
		case Left, Right:
			t.sideways(ev.Key, false)
		case Up:
			t.pauseNext = true
		}
	case Column:
		t.wait(ev)
	case Command:
		switch position := t.record.Game.Position(); {
		case ev == Pause:
			t.pauseNext = true
		case ev == Undo && position.Outcome() == board.Playing:
			t.undo()
		}
	}
}

// fallTime is how long the last disc falls and then rests; see minFallTime.
func (s *State) fallTime() time.Duration {
	_, row, _ := s.record.Game.Last()
	rows := board.MaxSide - row
	return max(time.Duration(rows)*s.fallRow(), minFallTime)
}

// fallRow is how long a falling disc shows in each row.
func (s *State) fallRow() time.Duration {
	if s.sharedTop() {
		return fallRowFull
	}
	return fallRow
}
