package game

import (
	"errors"
	"time"

	"github.com/c4hat/c4hat/board"
)

// startTurn puts the cursor where a turn starts.
func (t *step) startTurn() {
	t.ahead = ahead{}
	t.turn()
	t.cursor = t.home()
}

// aim lets somebody choose a column, from where the cursor is.
func (t *step) aim() {
	t.enter(Aim)
	t.blinks = t.now
}

// drops says whether an event is a key that drops.
func drops(ev Event) bool {
	switch ev := ev.(type) {
	case Press:
		return ev.Key == Down || ev.Key == Middle
	case Column:
		return true
	}
	return false
}

// home is the column in the middle, the left one of two; where the top row is in
// play, the open column nearest to it.
func (s *State) home() int {
	position := s.record.Game.Position()
	columns := position.Rules().Columns
	middle := (columns - 1) / 2
	if !s.sharedTop() {
		return middle
	}
	for away := range columns {
		for _, col := range [2]int{middle - away, middle + away} {
			if position.Legal(col) {
				return col
			}
		}
	}
	return middle
}

// sharedTop says whether the cursor shares the top row with the discs. It then
// blinks, skips full columns and does not go round the edge.
func (s *State) sharedTop() bool { return s.record.Match.Rules().Rows == board.MaxSide }

func (t *step) inAim(ev Event) {
	switch ev := ev.(type) {
	case Press:
		switch ev.Key {
		case Left, Right:
			t.sideways(ev.Key, false)
		case Down, Middle:
			t.drop(t.cursor)
		case Up:
			t.pause()
		}
	case Column:
		t.drop(ev.Col)
	case Command:
		switch ev {
		case Undo:
			t.undo()
		case Hint:
			t.askHint()
		case Pause:
			t.pause()
		}
	}
}

// inFall takes what may be done while a disc falls. The cursor that left and
// right move is already the next player's, or the one's after the computer; up is
// kept for when the disc has landed; drops are nobody's.
func (t *step) inFall(ev Event) {
	switch ev := ev.(type) {
	case Press:
		switch ev.Key {
		case Left, Right:
			if t.computersTurn() {
				t.ahead.press(ev.Key)
			} else {
				t.sideways(ev.Key, false)
			}
		case Up:
			t.pauseNext = true
		}
	case Command:
		switch position := t.record.Game.Position(); {
		case ev == Pause:
			t.pauseNext = true
		case ev == Undo && position.Outcome() == board.Playing:
			t.undo()
		}
	}
}

// point moves the cursor where the mouse is, if it can stand there.
func (t *step) point(col int) {
	if t.phase != Aim && t.phase != Fall || t.computersTurn() {
		return
	}
	t.touched = t.now
	position := t.record.Game.Position()
	if col == t.cursor || col < 0 || col >= position.Rules().Columns || t.sharedTop() && !position.Legal(col) {
		return
	}
	t.setCursor(col)
}

func (t *step) moveCursor(dir int, hold bool) {
	position := t.record.Game.Position()
	columns := position.Rules().Columns
	if !t.sharedTop() {
		t.setCursor(around(t.cursor, dir, columns, hold))
		return
	}
	for col := t.cursor + dir; col >= 0 && col < columns; col += dir {
		if position.Legal(col) {
			t.setCursor(col)
			return
		}
	}
}

func (t *step) setCursor(col int) {
	t.cursor = col
	t.refused.shown = false
	t.blinks = t.now.Add(-blinkHalf) // lit where it arrives
}

// drop lets a disc go, or refuses: the player keeps the turn.
func (t *step) drop(col int) {
	if t.soon {
		return
	}
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

// fall lets the disc dropped last be seen falling.
func (t *step) fall() {
	t.enter(Fall)
	t.unsaved = true
	t.pauseNext = false
	t.cursor = t.home()
	if !t.computersTurn() {
		t.ahead.move(t)
	}
	t.ahead = ahead{}
}

// undo goes back to the last turn of a person: a disc, or two where the computer
// has answered.
func (t *step) undo() {
	position, plies := t.record.Game.Position(), 1
	if t.setup.Computer != board.Empty && !t.computersTurn() {
		plies = 2
	}
	if position.Ply()-plies < t.record.Opening {
		t.refuse(1, Notice{Kind: NoticeNoUndo})
		return
	}
	for range plies {
		_ = t.record.Game.Undo() // there is one
	}
	t.unsaved = true
	t.startTurn()
}

// refuses says whether a key that drops names a column that takes no disc.
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

// refusal is a blink that says no.
type refusal struct {
	since  time.Time
	blinks int
	shown  bool // false once the cursor or icon it spoke of is left
}

// refuse says no. Another refusal while one blinks does not start it again:
// somebody who keeps pressing would make it flash.
func (t *step) refuse(blinks int, n Notice) {
	t.notice = n
	if t.refused.over(t.now) {
		t.refused = refusal{t.now, blinks, true}
	}
}

func (r refusal) over(now time.Time) bool {
	return now.Sub(r.since) >= time.Duration(r.blinks)*blink
}

func (r refusal) shows(now time.Time) bool { return r.shown && !r.over(now) }

func (r refusal) dark(now time.Time) bool { return r.shows(now) && blinkDark(r.since, now) }
