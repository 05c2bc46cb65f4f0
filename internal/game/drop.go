package game

import (
	"errors"

	"github.com/c4hat/c4hat/board"
)

// disc handles a [Disc]. The event is never queued for a later turn: a repeated event would then
// drop a second disc.
func (t *step) disc(ev Disc) error {
	switch {
	case !t.underWay():
		return ErrNoMatch
	case ev.Number != t.record.Discs()+1, t.phase == Fall, t.phase == Thinking, t.phase == Paused:
		return ErrNotNow
	}
	t.input(columnKey, ev.Col)
	return nil
}

// drop drops a disc. If the column is full or does not exist, the key is refused and the player
// keeps the turn.
func (t *step) drop(col int) {
	if err := t.record.Game.Play(col); err != nil {
		kind := NoticeNoColumn
		if errors.Is(err, board.ErrColumnFull) {
			kind = NoticeFull
		}
		t.blink(Notice{kind, col})
		return
	}
	t.fall()
}

// blocks reports whether a drop is refused because the column is full or does not exist.
func (t *step) blocks(col int) bool {
	return (t.phase == Aim || t.phase == Fall) && !t.position().Legal(col)
}

// fall starts the animation of the last disc's fall.
func (t *step) fall() {
	t.enter(Fall)
	t.unsaved = true
	t.pauseNext = false
	t.cursor = t.home()
	t.catchUp()
}
