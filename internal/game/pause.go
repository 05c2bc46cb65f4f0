package game

// choice is an icon of the pause screen.
type choice uint8

const (
	choiceResume choice = iota
	choiceUndo
	choiceHint
	choiceEnd
	choices
)

var choiceNames = [choices]string{"resume", "undo", "hint", "end"}

func (t *step) pause() {
	t.choice = choiceResume
	t.queue = queue{}
	t.enter(Paused)
}

func (t *step) inPause(ev Event) {
	switch ev := ev.(type) {
	case Press:
		switch ev.Key {
		case Left, Right:
			t.sideways(ev.Key, false)
		case Down, Middle:
			t.choose()
		case Up:
			if t.choice == choiceEnd {
				t.turn()
			} else {
				t.choice = choiceEnd
				t.refused.shown = false
			}
		}
	case Command:
		switch ev {
		case Undo:
			t.undo()
		case Hint:
			if t.computersTurn() {
				t.refuse(1, Notice{Kind: NoticeThinking})
				return
			}
			if t.barred(t.from, t.toMove()) {
				t.refuseSeat(NoticeTaken)
				return
			}
			t.aim()
			t.askHint()
		case Pause:
			t.turn()
		}
	}
}

// choose does what the icon stands for. All but the last are also keys of a keyboard.
func (t *step) choose() {
	switch t.choice {
	case choiceResume:
		t.inPause(Pause)
	case choiceUndo:
		t.inPause(Undo)
	case choiceHint:
		t.inPause(Hint)
	case choiceEnd:
		t.abandon()
		t.endMatch()
	}
}
