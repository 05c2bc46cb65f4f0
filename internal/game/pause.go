package game

// choice is an icon on the pause screen.
type choice uint8

const (
	choiceResume choice = iota
	choiceUndo
	choiceHint
	choiceEnd
	choices
)

var (
	choiceNames = [choices]string{"resume", "undo", "hint", "end"}
	choiceKeys  = [choices]Key{pauseKey, undoKey, hintKey, endKey}
)

func (t *step) pause() {
	t.choice = choiceResume
	t.queue = queue{}
	t.enter(Paused)
}

func (t *step) inPause(k Key) {
	if k == Down || k == Middle {
		k = choiceKeys[t.choice]
	}
	switch k {
	case Left, Right:
		t.sideways(k, false)
	case Up:
		if t.choice == choiceEnd {
			t.turn()
		} else {
			t.choice = choiceEnd
			t.refused.shown = false
		}
	case undoKey:
		t.undo()
	case hintKey:
		t.hint()
	case pauseKey:
		t.turn()
	case endKey:
		t.abandon()
		t.endMatch()
	}
}
