package game

import "time"

// step is one call of [State.StepFrom]: the state that it changes, the time, and the effects so
// far.
type step struct {
	State
	now     time.Time
	from    Source
	tooSoon bool // the source's last drop key was less than dropWindow before the event
	effects []Effect
}

// Step is like [State.StepFrom], for a game with a single source of events.
func (s State) Step(now time.Time, ev Event) (State, []Effect) { return s.StepFrom(now, ev, Source{}) }

// StepFrom handles an event from a source. It first makes the changes that time alone has caused by
// now, so that a press just after a disc has landed is a press in the next turn.
func (s State) StepFrom(now time.Time, ev Event, from Source) (State, []Effect) {
	t := step{State: s, now: now, from: from}
	t.pass()
	if t.stale(ev) {
		t.refuse(ErrNoSeat)
		ev = nil
	}
	switch ev := ev.(type) {
	case Press:
		t.press(ev)
	case Column:
		t.input(columnKey, ev.Col)
	case Disc:
		t.refuse(t.disc(ev))
	case Point:
		t.point(ev.Col)
	case Command:
		t.input(undoKey+Key(ev), 0)
	case Start:
		t.refuse(t.startRemote(ev))
	case End:
		t.refuse(t.endRemote())
	case Take:
		t.refuse(t.take(ev))
	case Leave, Present, Absent, Reachable:
		t.refuse(t.ofSeat(ev))
	case Admit:
		t.refuse(t.admit(ev))
	case Withdraw:
		t.withdraw(ev.ID)
	case Configure:
		t.refuse(t.configure(ev))
	case Quit:
		t.effects = append(t.effects, Stop(ev))
	case Saved:
		t.saved(ev)
	case Chosen:
		if t.answered(ev.ID) {
			t.choose(ev.Col)
		}
	case Advised:
		if t.answered(ev.ID) {
			t.advice = ev.Advice
			t.enter(Hinting)
		}
	case Judged:
		if t.awaits(ev.ID) {
			t.judge(ev.Ply, ev.Verdict)
		}
	case Composed:
		if t.answered(ev.ID) {
			t.solve(ev.Puzzle)
		}
	case Done:
		t.done(ev)
	}
	t.pass()
	t.ask()
	t.save()
	return t.State, t.effects
}

// enter starts a phase. It cancels the [Question] of the last phase, and a key that is still held
// stops repeating.
func (t *step) enter(p Phase) {
	t.forget()
	if t.phase == Admitting && t.admission.Answer == Unanswered {
		t.settle(Rejected) // a client has started or ended a match while the digit was shown
	}
	t.phase, t.since, t.blinks = p, t.now, t.now
	t.held = 0
	t.refused = refusal{}
}

// pass makes all changes that time alone has caused by now. One change can cause the next at once:
// if a turn starts after the idle time, the screen goes dark.
func (t *step) pass() {
	t.openSeats()
	for {
		if dark, ok := t.dark(); ok && !t.now.Before(dark) {
			t.goDark()
			continue
		}
		if due, ok := t.due(); !ok || t.now.Before(due) {
			return
		}
		switch t.phase {
		case Menu:
			t.startDemo()
		case Attract:
			t.passDemo()
		case Thinking:
			t.passThought()
		case Fall:
			t.land()
		case Admitting:
			t.endAdmission(Rejected)
		case Hinting:
			t.enter(Aim)
		case Looking:
			t.passLook()
		default:
			t.skip()
		}
	}
}

// press handles a key of the joystick. Only left and right repeat while they are held, and only if
// they were pressed in this phase or turn.
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
		t.input(p.Key, 0)
	}
}

// Keys beyond the joystick's five.
const (
	columnKey Key = Middle + 1 + iota // a [Column]
	undoKey                           // one key for each [Command], in the same order
	hintKey
	pauseKey
	endKey // "end" on the pause screen
)

// drops reports whether the key is a drop key: one that can drop a disc.
func (k Key) drops() bool { return k == Down || k == Middle || k == columnKey }

// input handles any key that was pressed, not one that is held. For columnKey, col is the column;
// the other keys use the cursor's.
func (t *step) input(k Key, col int) {
	t.touched = t.now
	t.notice = Notice{}
	if t.phase == Aim && t.from == t.asker && k != hintKey {
		t.forget() // cancels a hint that is still pending
	}
	if k.drops() && t.choosing() && t.barred(t.from, t.toMove()) {
		t.refuseSeat(NoticeTaken)
		return
	}
	if k != columnKey {
		col = t.cursor
	}
	t.tooSoon = t.now.Before(t.windows.end(t.from))
	if k.drops() && !t.blocks(col) {
		t.windows.begin(t.from, t.now)
	}
	switch t.phase {
	case Dark:
		t.enter(t.resumes)
	case Attract:
		t.enter(Menu)
	case Menu:
		t.inMenu(k)
	case Aim, Thinking, Fall:
		t.inTurn(k, col)
	case Paused:
		t.inPause(k)
	case Admitting:
		t.inAdmission(k)
	case Looking:
		t.inLook(k)
	case Making:
		if k == Up {
			t.endMatch()
		}
	case Cheer, Score, Victory, Drawn, Clear:
		t.skip()
	case Hinting:
		t.enter(Aim)
		if t.from != t.asker { // another source's hint does not consume the key
			t.inTurn(k, col)
		}
	}
}

// sideways handles left and right. A press wraps around; a held key stops at the edges. In another
// player's turn, a press waits for the next turn of its source.
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
				t.wait(k, 0)
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

// wrap returns i moved by dir, within 0 to n-1. A press wraps around; a held key stops at the
// edges.
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
	switch t.phase {
	case Attract:
		t.resumes = Menu
	case Looking:
		t.effects = append(t.effects, Rest{})
	}
	t.enter(Dark)
}
