package game

import "github.com/c4hat/c4hat/board"

// hint asks for advice on the position, unless an answer is still pending.
func (t *step) hint() {
	switch {
	case t.computersTurn():
		t.blink(Notice{Kind: NoticeThinking})
		return
	case t.barred(t.from, t.toMove()):
		t.refuseSeat(NoticeTaken)
		return
	case t.phase == Paused:
		t.enter(Aim)
	}
	if t.asked == 0 {
		t.asker = t.from
		t.effects = append(t.effects, Advise{t.question(), t.record.Game})
	}
}

// Unknown reports whether a column's score is unknown, because an estimate found neither a win nor
// a loss.
func (a Advice) Unknown(col int) bool { return !a.Exact && a.Score[col] == 0 }

// Best returns the legal column with the highest score. Of several such columns, Best returns the
// one nearest the middle; of two equally near, the left one.
func (a Advice) Best(p board.Position) int {
	middle := (p.Rules().Columns - 1) / 2
	best := -1
	for away := range board.MaxSide {
		for _, col := range [2]int{middle - away, middle + away} {
			if p.Legal(col) && (best < 0 || a.Score[col] > a.Score[best]) {
				best = col
			}
		}
	}
	return best
}
