package game

import "time"

// step is one [State.Step]: the state being changed, the moment, and the effects.
type step struct {
	State
	now     time.Time
	from    Source
	tooSoon bool // see dropWindow, before the event
	effects []Effect
}

// Step is [State.StepFrom] for a single input.
func (s State) Step(now time.Time, ev Event) (State, []Effect) { return s.StepFrom(now, ev, 0) }

// StepFrom handles an event from an input. What is due by time comes first: a press just
// after a disc has landed belongs to the next turn.
func (s State) StepFrom(now time.Time, ev Event, from Source) (State, []Effect) {
	t := step{State: s, now: now, from: from}
	t.pass()
	switch ev := ev.(type) {
	case Press:
		t.press(ev)
	case Column:
		t.input(ev)
	case Disc:
		t.disc(ev)
	case Point:
		t.point(ev.Col)
	case Command:
		t.input(ev)
	case Start:
		t.startRemote(ev)
	case End:
		t.endRemote()
	case Take:
		t.take(ev.Player, ev.Final)
	case Leave, Present, Absent, Reachable:
		t.ofSeat(ev)
	case Admit:
		t.admit(ev)
	case Withdraw:
		t.withdraw(ev.ID)
	case Configure:
		t.configure(ev)
	case Quit:
		t.effects = append(t.effects, Stop(ev))
	case Saved:
		t.saved(ev)
	case Chosen:
		t.chosen(ev)
	case ThinkFailed:
		t.thinkFailed(ev)
	case Advised:
		t.advised(ev)
	case AdviceFailed:
		t.adviceFailed(ev)
	case Judged:
		t.judged(ev)
	case Reviewed:
		t.reviewed(ev)
	case Composed:
		t.composed(ev)
	}
	t.pass()
	if t.admission.waiting() && t.phase != Admitting {
		t.settle(Rejected)
	}
	t.askThought()
	t.askReview()
	t.askPuzzle()
	t.save()
	return t.State, t.effects
}

// enter starts a phase. Questions of the last phase are cancelled, and a key that is still
// held stops repeating.
func (t *step) enter(p Phase) {
	t.forget()
	t.phase, t.since = p, t.now
	t.held = 0
	t.refused = refusal{}
}

// pass does what is due. What follows from that can be due as well: the end of a round
// after a long time without input.
func (t *step) pass() {
	t.openSeats()
	for {
		due, ok := t.due()
		if !ok || t.now.Before(due) {
			return
		}
		if t.rests() {
			t.goDark()
			continue
		}
		switch t.phase {
		case Menu:
			t.startDemo()
		case Attract:
			t.passDemo()
		case Thinking:
			t.passThought()
		case Admitting:
			t.answer(Rejected)
		case Hinting:
			t.aim()
		case Looking:
			t.passLook()
		default:
			t.skip()
		}
	}
}

// rests reports whether the phase stays until a key, or until the screen goes dark.
func (s *State) rests() bool {
	switch s.phase {
	case Aim, Paused:
		return true
	case Hinting, Cheer, Drawn:
		return s.config.Waits
	}
	return false
}

// due is when the phase ends if nothing happens.
func (s *State) due() (time.Time, bool) {
	if s.rests() {
		return s.touched.Add(s.config.Idle), s.config.Idle > 0
	}
	switch s.phase {
	case Menu:
		return s.touched.Add(menuIdle), true
	case Attract:
		return s.demoDue()
	case Thinking:
		return s.thoughtDue()
	case Fall:
		landed := s.since.Add(s.fallTime())
		if s.saving != 0 {
			landed = landed.Add(saveTime)
		}
		return landed, true
	case Cheer:
		return s.since.Add(cheerTime), true
	case Score:
		return s.since.Add(scoreTime), true
	case Victory:
		return s.since.Add(victoryTime), true
	case Drawn:
		return s.since.Add(drawTime), true
	case Clear:
		return s.since.Add(clearTime), true
	case Hinting:
		return s.since.Add(hintTime), true
	case Admitting:
		return s.since.Add(admitTime), true
	case Looking:
		return s.lookDue()
	}
	return time.Time{}, false
}

// press handles holds and releases, and passes on fresh presses. A hold only repeats left
// or right, pressed in the same phase or round.
func (t *step) press(p Press) {
	switch p.Action {
	case Released:
		t.held = 0
	case Held:
		t.touched = t.now
		if p.Key != t.held || t.now.Sub(t.moved) < holdEvery {
			return
		}
		t.sideways(p.Key, true)
	default:
		t.input(p)
	}
}

// input handles a fresh press of any key.
func (t *step) input(ev Event) {
	t.touched = t.now
	t.notice = Notice{}
	if t.phase == Aim && t.from == t.asker && ev != Hint {
		t.forget() // a hint that is still pending
	}
	if drops(ev) && t.choosing() && t.barred(t.from, t.toMove()) {
		t.refuseSeat(NoticeTaken)
		return
	}
	t.tooSoon = t.now.Before(t.windows.end(t.from))
	if drops(ev) && !t.refuses(ev) {
		t.windows.begin(t.from, t.now)
	}
	switch t.phase {
	case Dark:
		t.wake()
	case Attract:
		t.enter(Menu)
	case Menu:
		t.inMenu(ev)
	case Aim:
		t.inAim(ev)
	case Thinking:
		t.inThinking(ev)
	case Fall:
		t.inFall(ev)
	case Paused:
		t.inPause(ev)
	case Admitting:
		t.inAdmission(ev)
	case Looking:
		t.inLook(ev)
	case Making:
		if p, ok := ev.(Press); ok && p.Key == Up {
			t.endMatch()
		}
	case Cheer, Score, Victory, Drawn, Clear:
		t.skip()
	case Hinting:
		t.aim()
		if t.from != t.asker { // another source's hint does not consume the key
			t.inAim(ev)
		}
	}
}

// sideways moves what left and right move in this phase. Only a fresh press wraps, and only
// its repeats count after it. In a turn that is not the source's, its presses move the cursor
// of the next one.
func (t *step) sideways(k Key, hold bool) {
	dir := +1
	if k == Left {
		dir = -1
	}
	if t.choosing() {
		mine := t.steers(t.from, t.toMove())
		_, behind := t.waiting()
		if !mine || t.phase == Fall && behind && !hold {
			if !hold && (mine || t.steers(t.from, t.toMove().Other())) {
				t.wait(Press{Key: k})
			}
			return
		}
	}
	t.held, t.moved = k, t.now
	switch t.phase {
	case Aim, Fall:
		t.moveCursor(dir, hold)
	case Menu:
		t.menu.sideways(dir, hold)
		t.refused.shown = false
	case Looking:
		t.look.plays = false
		t.stepLook(dir)
	case Paused:
		t.choice = choice(wrap(int(t.choice), dir, int(choices), hold))
		t.refused.shown = false
	}
}

// wrap steps through 0 to n-1. A fresh press wraps; a held key stops at the edges.
func wrap(i, dir, n int, hold bool) int {
	i += dir
	if hold {
		return min(max(i, 0), n-1)
	}
	return (i + n) % n
}

// goDark turns the screen off until a key is pressed.
func (t *step) goDark() {
	t.resumes = t.phase
	if t.phase == Attract {
		t.resumes = Menu
	}
	t.enter(Dark)
}

func (t *step) wake() {
	if t.resumes == Aim {
		t.aim()
	} else {
		t.enter(t.resumes)
	}
}
