package game

import "github.com/c4hat/c4hat/board"

// queue holds the keys that a person pressed before that person's turn: left, right and typed
// columns. When the turn begins, they take effect in order. A column ends the turn, so the keys
// after it wait for a later turn.
type queue struct {
	keys [64]ahead
	n    int
}

// ahead is a key in the queue: left, right or a column from 0.
type ahead struct {
	key  Key
	col  int8 // the column, if key is columnKey
	from Source
}

// add adds a key, unless there is no room. Remote clients can fill only half of the queue.
func (q *queue) add(a ahead) {
	if q.n == len(q.keys) || a.from.Kind != Panel && q.n >= len(q.keys)/2 {
		return
	}
	q.keys[q.n] = a
	q.n++
}

// remove removes a key and returns it.
func (q *queue) remove(i int) ahead {
	a := q.keys[i]
	q.n--
	copy(q.keys[i:], q.keys[i+1:])
	q.keys[q.n] = ahead{}
	return a
}

// wait queues a key for a person's next turn. A column that is pressed again within dropWindow is
// not queued again.
func (t *step) wait(k Key, col int) {
	if k == columnKey {
		last, _, _ := t.record.Game.Last()
		for _, a := range t.queue.keys[:t.queue.n] {
			if a.key == columnKey {
				last = int(a.col)
			}
		}
		if t.tooSoon && col == last {
			return
		}
	}
	t.queue.add(ahead{k, int8(min(max(col, -1), board.MaxSide)), t.from})
}

// waiting returns the index of the first queued key whose sender may play the side to move.
func (t *step) waiting() (i int, ok bool) {
	for i, a := range t.queue.keys[:t.queue.n] {
		if t.steers(a.from, t.toMove()) {
			return i, true
		}
	}
	return 0, false
}

// catchUp handles the keys that were pressed before this turn, until one of them drops a disc.
// Until the last disc has landed, it only moves the cursor.
func (t *step) catchUp() {
	for i, ok := t.waiting(); ok; i, ok = t.waiting() {
		switch t.queue.keys[i].key {
		case Left:
			t.queue.remove(i)
			t.moveCursor(-1, false)
		case Right:
			t.queue.remove(i)
			t.moveCursor(+1, false)
		default:
			if t.phase != Aim {
				return
			}
			a, from := t.queue.remove(i), t.from
			t.from, t.notice = a.from, Notice{}
			t.drop(int(a.col))
			t.from = from
		}
	}
}
