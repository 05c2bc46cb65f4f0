package game

import "github.com/c4hat/c4hat/board"

// home returns the column where the cursor starts: the middle one or, if two are in the middle, the
// left one of them. If the cursor shares the top row with the discs, its home is the open column
// nearest the middle.
func (s *State) home() int {
	position := s.position()
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

// sharedTop reports whether the cursor shares the top row with the discs. The cursor then blinks,
// skips full columns and does not wrap.
func (s *State) sharedTop() bool { return s.record.Match.Rules().Rows == board.MaxSide }

// point moves the cursor to the mouse's column, if the cursor may be there.
func (t *step) point(col int) {
	if t.phase != Aim && t.phase != Fall || !t.steers(t.from, t.toMove()) {
		return
	}
	t.touched = t.now
	position := t.position()
	if col == t.cursor || col < 0 || col >= position.Rules().Columns || t.sharedTop() && !position.Legal(col) {
		return
	}
	t.setCursor(col)
}

func (t *step) moveCursor(dir int, hold bool) {
	position := t.position()
	columns := position.Rules().Columns
	if !t.sharedTop() {
		t.setCursor(wrap(t.cursor, dir, columns, hold))
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
