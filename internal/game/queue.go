package game

import "github.com/c4hat/c4hat/board"

// queue holds the keys that were pressed before a person's turn: left and right, and the
// columns that somebody typed. They count in order once the turn begins, and those behind
// a column count in a later turn.
type queue struct {
	keys [64]ahead
	n    int
}

// ahead is a press of left or right, or a column from 0.
type ahead struct {
	key  Key // 0: the column
	col  int8
	from Source
}

// add adds a key; what finds no room is dropped. Remote clients cannot take all of it.
func (q *queue) add(a ahead) {
	if q.n == len(q.keys) || a.from >= Remote && q.n >= len(q.keys)/2 {
		return
	}
	q.keys[q.n] = a
	q.n++
}

// next removes the first key.
func (q *queue) next() ahead {
	a := q.keys[0]
	q.n--
	copy(q.keys[:], q.keys[1:])
	q.keys[q.n] = ahead{}
	return a
}

// wait keeps a key for a person's next turn. A column that is pressed twice within the
// window counts once, as everywhere.
func (t *step) wait(ev Event) {
	switch ev := ev.(type) {
	case Press:
		t.queue.add(ahead{key: ev.Key, from: t.from})
	case Column:
		last, _, _ := t.record.Game.Last()
		for _, a := range t.queue.keys[:t.queue.n] {
			if a.key == 0 {
				last = int(a.col)
			}
		}
		if !t.tooSoon || ev.Col != last {
			t.queue.add(ahead{col: int8(min(max(ev.Col, -1), board.MaxSide)), from: t.from})
		}
	}
}

// catchUp does what was pressed before this turn, until a disc falls. While the disc before
// it still falls, it only moves the cursor.
func (t *step) catchUp() {
	for t.queue.n > 0 && !t.computersTurn() {
		switch t.queue.keys[0].key {
		case Left:
			t.queue.next()
			t.moveCursor(-1, false)
		case Right:
			t.queue.next()
			t.moveCursor(+1, false)
		default:
			if t.phase != Aim {
				return
			}
			a, from := t.queue.next(), t.from
			t.from, t.notice = a.from, Notice{}
			t.drop(int(a.col))
			t.from = from
		}
	}
}
