package game

func (t *step) askHint() {
	t.lastID++
	t.asked = t.lastID
	t.effects = append(t.effects, Advise{t.asked, t.game})
}

// forget gives up waiting for advice: whoever asked has gone on.
func (t *step) forget() {
	if t.asked != 0 {
		t.effects = append(t.effects, Forget{t.asked})
		t.asked = 0
	}
}

// awaits says whether an answer is for the question that stands, not for one of
// a position that is gone.
func (t *step) awaits(id int) bool { return t.asked != 0 && id == t.asked }

func (t *step) advised(a Advised) {
	if !t.awaits(a.ID) {
		return
	}
	t.asked = 0
	t.advice = a.Advice
	t.enter(Hinting)
}

func (t *step) adviceFailed(a AdviceFailed) {
	if !t.awaits(a.ID) {
		return
	}
	t.asked = 0
	t.refuse(1, Notice{Kind: NoticeNoHint})
}

// best says whether no column is worth more.
func (a Advice) best(col int, free func(int) bool) bool {
	for other, score := range a.Score {
		if free(other) && score > a.Score[col] {
			return false
		}
	}
	return free(col)
}
