package game

// ahead are the presses of left and right in the computer's turn, and while the disc
// before it falls. In their order they move the cursor of the turn that follows: where
// it stops at the edge and skips full columns their sum would not do.
type ahead struct {
	right   uint64 // a bit a press, the first one lowest
	presses int
}

// press keeps a press. There is room for more than a cursor has places to go to; the
// rest moves nothing.
func (a *ahead) press(k Key) {
	if a.presses == 64 {
		return
	}
	if k == Right {
		a.right |= 1 << a.presses
	}
	a.presses++
}

// move moves the cursor as it was pressed.
func (a *ahead) move(t *step) {
	for i := range a.presses {
		t.moveCursor(int(a.right>>i&1)*2-1, false)
	}
}
