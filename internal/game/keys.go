package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
)

// action is what an input asks for: a [Key] that was pressed, or a [Column], [Command], [Select] or
// [Choose]. The phase decides what it does.
type action any

// drops returns the column in which an action can drop a disc, if it is one that can.
func (s *State) drops(a action) (col int, ok bool) {
	switch a := a.(type) {
	case Key:
		return s.cursor, a == Down || a == Middle
	case Column:
		return a.Col, true
	}
	return 0, false
}

// press handles a key of the joystick. Only left and right repeat while they are held, and only if
// they were pressed in this phase or turn. Up leaves a look back, and reading, if it is held.
func (t *step) press(p Press) {
	switch p.Action {
	case Pressed:
		t.input(p.Key)
	case Held:
		t.touched = t.now
		switch since := t.now.Sub(t.moved); {
		case p.Key != t.held || p.Key == 0:
		case p.Key == Up && since >= leaveAfter:
			t.input(Back)
		case p.Key != Up && since >= holdEvery:
			t.sideways(p.Key, true)
		}
	case Released:
		t.held = 0
	}
}

// input handles any input but a key that is held.
func (t *step) input(a action) {
	hasty := t.hasty()
	t.touched = t.now
	t.before, t.notice = t.notice, Notice{}
	if t.phase == Aim && t.from == t.asker && a != Hint {
		t.forget() // cancels a hint that is still pending
	}
	col, drops := t.drops(a)
	if drops && t.choosing() && t.barred(t.from, t.toMove()) {
		t.refuseSeat(NoticeTaken)
		return
	}
	t.tooSoon = t.now.Before(t.windows.end(t.from))
	if drops && (t.phase != Aim && t.phase != Fall || t.position().Legal(col)) {
		t.windows.begin(t.from, t.now)
	}
	if a == OpenLook && (t.phase == Menu || t.phase >= Cheer && t.phase <= Clear && !t.solving.on) {
		t.lookBack(t.phase != Menu && !t.matchOver())
		return
	}
	if hasty && a != Back {
		return
	}
	switch t.phase {
	case Dark:
		t.enter(t.resumes)
	case Attract:
		t.enter(Menu)
	case Menu:
		t.inMenu(a)
	case Aim, Thinking, Fall:
		t.inTurn(a)
	case Paused:
		t.inPause(a)
	case Admitting:
		t.inAdmission(a)
	case Reading:
		t.inReading(a)
	case Looking:
		t.inLook(a)
	case Making:
		if a == Up || a == Back {
			t.endMatch()
		}
	case Cheer:
		t.inCheer(a)
	case Score, Victory, Drawn, Clear:
		t.skip()
	case Hinting:
		if _, typed := a.(Column); typed && !t.position().Legal(col) {
			t.drop(col) // is refused; the hint stays
			return
		}
		t.enter(Aim)
		closes := a == Down || a == Middle || a == Hint || a == Back
		if closes && t.from == t.asker {
			t.note(Notice{Kind: NoticeClosed})
		} else { // another source's hint does not consume the input
			t.inTurn(a)
		}
	}
}

// hasty reports whether a key comes too soon to end a picture of a round's end.
func (t *step) hasty() bool {
	return t.phase >= Cheer && t.phase <= Clear && (t.fresh(t.now) || t.now.Before(t.touched.Add(keysRest)))
}

// disc handles a [Disc]. It is never queued for a later turn: repeated, it would drop a second disc.
func (t *step) disc(ev Disc) error {
	switch {
	case !t.underWay() && !t.solving.on:
		return ErrNoMatch
	case ev.Number != t.record.Discs()+1, t.phase != Aim && t.phase != Hinting && t.phase != Dark: // any key wakes a dark HAT
		return ErrNotNow
	}
	if t.phase == Hinting {
		t.enter(Aim) // the disc closes the hint, and falls
	}
	t.windows.forget(t.from) // the disc's number says that it is no second tap
	t.input(Column{ev.Col})
	return nil
}

// sideways handles left and right. A press wraps around; a held key stops at the edges. In another
// player's turn, a press waits for the next turn of its source.
func (t *step) sideways(k Key, hold bool) {
	if t.choosing() {
		mine := t.steers(t.from, t.toMove())
		_, behind := t.waiting()
		if !mine || t.phase == Fall && behind && !hold {
			if !hold && (mine || t.steers(t.from, t.toMove().Other())) {
				t.queue.add(ahead{key: k, from: t.from})
			}
			return
		}
	}
	t.held, t.moved = k, t.now
	switch dir := k.direction(); t.phase {
	case Aim, Fall:
		t.moveCursor(dir, hold)
	case Menu:
		t.walkMenu(dir, hold)
		t.refused.shown = false
	case Looking:
		t.look.plays = false
		t.stepLook(dir, hold)
	case Reading:
		t.read(wrap(t.reading.col, dir, t.position().Rules().Columns, hold), 0)
	case Paused:
		t.choice = choice(wrap(int(t.choice), dir, t.pauseEntries(), hold))
		t.refused.shown = false
	}
}

// inTurn handles an input while a player chooses a column or a disc falls. During a fall, left and
// right move the cursor of the next turn or, if that turn is another player's, wait for the turn
// after it. Up pauses, and a hint is looked for, once the disc has landed. A column typed before a
// person's turn waits for that turn. Down and middle do not.
func (t *step) inTurn(a action) {
	switch a {
	case Left, Right:
		t.sideways(a.(Key), false)
	case Undo:
		if t.choosing() {
			t.undo()
		}
	case Hint:
		if t.phase == Fall {
			t.afterFall, t.asker = Hint, t.from
		} else {
			t.hint()
		}
	case Up, Pause, Back:
		if t.phase == Fall {
			t.afterFall = Pause
		} else {
			t.pause()
		}
	default:
		col, drops := t.drops(a)
		if _, typed := a.(Column); typed && t.phase != Aim {
			t.wait(col)
		} else if late := t.now.Before(t.hintEnded.Add(lateKey)); late && drops && !typed && t.phase == Aim && t.from == t.asker {
			t.hintEnded = time.Time{}
			t.note(Notice{Kind: NoticeClosed}) // the key was meant for the hint
		} else if drops && t.phase == Aim && !t.tooSoon {
			t.drop(col)
		}
	}
}

func (t *step) inPause(a action) {
	switch a {
	case Left, Right:
		t.sideways(a.(Key), false)
	case Up:
		if t.choice == choiceEnd {
			t.turn()
		} else {
			t.choice = choiceEnd
			t.refused.shown = false
		}
	case Down, Middle:
		t.chooseIcon()
	case Undo:
		t.undo()
	case Hint:
		t.hint()
	case Pause, Back:
		t.turn()
	}
	if i, chosen, ok := t.listed(a, t.pauseEntries()); ok {
		if t.choice = choice(i); chosen {
			t.chooseIcon()
		}
	}
}

func (t *step) chooseIcon() {
	switch t.choice {
	case choiceResume:
		t.turn()
	case choiceUndo:
		t.undo()
	case choiceHint:
		t.hint()
	case choiceRead:
		t.enter(Reading)
		t.read(t.cursor, 0)
	case choiceEnd:
		t.leaveMatch()
	}
}

// listed returns the entry of a [Select] or [Choose] from a list of n entries.
func (t *step) listed(a action, n int) (i int, chosen, ok bool) {
	switch a := a.(type) {
	case Select:
		i = a.Entry
	case Choose:
		i, chosen = a.Entry, true
		t.windows.begin(t.from, t.now) // a second tap must not drop a disc of the match that begins
	default:
		return 0, false, false
	}
	t.refused.shown = false
	return i, chosen, i >= 0 && i < n
}

// inReading handles an input while somebody reads the board. Left and right go to another column, up
// and down to one cell of the column, or back to the column; a press returns to the match.
func (t *step) inReading(a action) {
	rules := t.position().Rules()
	switch a {
	case Left, Right:
		t.sideways(a.(Key), false)
	case Up:
		t.read(t.reading.col, wrap(t.reading.row, +1, rules.Rows+1, false))
		t.held, t.moved = Up, t.now
	case Down:
		t.read(t.reading.col, wrap(t.reading.row, -1, rules.Rows+1, false))
	case Middle, Pause, Back:
		t.turn()
	default:
		if c, ok := a.(Column); ok && c.Col >= 0 && c.Col < rules.Columns {
			t.read(c.Col, 0)
		}
	}
}

func (t *step) read(col, row int) {
	t.reading = reading{col, row}
	t.blinks = t.now.Add(-blinkHalf) // lit where it arrives
}

// hear counts the voices. After the last one, nobody reads the board.
func (t *step) hear(ev Voice) {
	if !ev.Gone {
		t.voices++
		return
	}
	if t.voices--; t.voices > 0 {
		return
	}
	if t.choice == choiceRead {
		t.choice = choiceResume
	}
	switch {
	case t.phase == Reading:
		t.turn()
	case t.phase == Dark && t.resumes == Reading:
		t.resumes = Paused
	}
}

func (t *step) inMenu(a action) {
	m, top := &t.menu, t.topEntry()
	switch a {
	case Left, Right:
		t.sideways(a.(Key), false)
	case Less, More:
		t.changeValue(int(a.(Command)-Less)*2-1, false)
	case Up:
		if m.second {
			m.second = false
		} else {
			t.startDemo()
		}
	case Back:
		m.second = false
	case Down, Middle:
		if !m.second && secondPages[m.entry] != nil {
			m.second = true
		} else {
			t.startEntry()
		}
	}
	n := int(entries - top)
	if m.second {
		n = len(secondPages[m.entry])
	}
	i, chosen, ok := t.listed(a, n)
	switch {
	case !ok:
		return
	case m.second:
		m.items[m.entry] = uint8(i)
	default:
		m.entry = top + entry(i)
	}
	switch plays := m.entry == entryTwo || m.entry == entryComputer || m.entry == entryOther; {
	case !chosen:
	case plays && t.parked.ID != "" && t.before.Kind != NoticeGivesUp:
		t.blink(Notice{Kind: NoticeGivesUp})
	default:
		t.startEntry()
	}
}

// inCheer handles an input while a line blinks, or after a solved puzzle. If the last picture of a match waits for a key, middle
// starts a rematch and Back opens the menu.
func (t *step) inCheer(a action) {
	switch {
	case t.solving.on && (a == Up || a == Back):
		t.endMatch()
	case !t.config.Waits || !t.matchOver():
		t.skip()
	case a == Middle:
		t.startMatch(t.menuSetup())
	case a == Back:
		t.endMatch()
	}
}

// matchOver reports whether the end of a match is shown, and the menu follows.
func (s *State) matchOver() bool {
	return s.config.Forever && !s.solving.on && s.phase >= Cheer && s.phase <= Clear && s.record.Match.Winner() != board.Empty
}

func (t *step) startEntry() {
	switch t.menu.entry {
	case entryResume:
		r := t.parked
		t.parked = Record{}
		t.resume(r)
	case entryLook:
		t.lookBack(false)
	case entryPuzzle:
		t.startPuzzles(t.menu.discs())
	case entryFirst:
		t.changeValue(+1, false)
	default:
		t.startMatch(t.menuSetup())
	}
}

func (t *step) inLook(a action) {
	switch a {
	case Left, Right:
		t.sideways(a.(Key), false)
	case Up:
		if t.toMark(-1); t.phase == Looking {
			t.held, t.moved = Up, t.now
		}
	case Down:
		t.toMark(+1)
	case Middle, Pause:
		t.playLook()
	case Back:
		if t.look.aside {
			t.look.leaveVariation()
		} else if t.look.alone {
			t.endMatch()
		} else {
			t.leaveLook()
		}
	}
}

// inAdmission handles an input while a digit is asked for. Only people at this machine can answer.
func (t *step) inAdmission(a action) {
	if t.from.Kind != Panel || t.now.Sub(t.since) < admitGrace {
		return
	}
	switch a {
	case Left, Right:
		t.admission.turn(a.(Key).direction())
	case Up:
		t.endAdmission(Rejected)
	case Down, Middle:
		if t.admission.shown == t.admission.Digit {
			t.endAdmission(Admitted)
		} else {
			t.endAdmission(Rejected)
		}
	}
}
