package game

// question returns the ID for a new [Question], which becomes the current one.
func (t *step) question() int {
	t.lastID++
	t.asked = t.lastID
	return t.asked
}

// awaits reports whether id is the ID of the current question, not of one that was cancelled.
func (t *step) awaits(id int) bool { return t.asked != 0 && id == t.asked }

// answered is like awaits, but also ends the question.
func (t *step) answered(id int) bool {
	if !t.awaits(id) {
		return false
	}
	t.asked = 0
	return true
}

// forget cancels the current question, if there is one.
func (t *step) forget() {
	if t.asked != 0 {
		t.effects = append(t.effects, Forget{t.asked})
		t.asked = 0
	}
}

// ask asks the question of the current phase, if there is one, unless a question is pending.
func (t *step) ask() {
	if t.asked != 0 {
		return
	}
	switch t.phase {
	case Thinking:
		if t.solving.on && !t.thought.done { // the reply is part of the puzzle
			t.thought = thought{true, t.line(t.position().Ply()), t.now}
		}
		t.think(t.record.Game, t.record.Level)
	case Attract:
		t.think(t.demo.game, demoLevel)
	case Looking:
		t.review()
	case Making:
		t.effects = append(t.effects, Compose{t.question(), t.solving.length, t.chance.Uint64()})
	}
}

// done continues the phase without an answer to its question.
func (t *step) done(d Done) {
	if !t.answered(d.ID) {
		return
	}
	switch t.phase {
	case Thinking, Attract:
		t.choose(-1)
	case Looking: // the remaining discs get no verdict
		t.look.reviewed = true
	case Making:
		t.endMatch()
	default:
		t.blink(Notice{Kind: NoticeNoHint})
	}
}
