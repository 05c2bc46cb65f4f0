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

func (t *step) pause() {
	t.choice = choiceResume
	t.enter(Paused)
}

func (t *step) resume() {
	t.enter(Aim)
	t.blinks = t.now
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
				t.resume()
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
			t.resume()
			t.askHint()
		case Pause:
			t.resume()
		}
	}
}

func (t *step) choose() {
	switch t.choice {
	case choiceResume:
		t.resume()
	case choiceUndo:
		t.undo()
	case choiceHint:
		t.resume()
		t.askHint()
	case choiceEnd:
		t.endMatch()
	}
}
