package game

import (
	"cmp"
	"math/rand/v2"
	"time"
)

// New starts a game with a match, the menu or the demo, as configured. The errors are those of
// [Setup.Check].
func New(c Config, now time.Time) (State, error) {
	t, err := begin(c, Record{}, now)
	switch {
	case err != nil:
	case c.Attract:
		t.startDemo()
	case c.Menu:
		t.enter(Menu)
	default:
		t.startMatch(c.Setup)
	}
	return t.State, err
}

// Resume starts a game with a saved match. If the record's ID is empty, there is no match, and
// Resume is like [New]. If the last round is over, its last disc falls again. A match that its players
// left stays in the menu of a game that starts with the demo.
func Resume(c Config, r Record, now time.Time) (State, error) {
	if r.Left && c.Attract {
		c.Parked, r = r, Record{}
	}
	if r.ID == "" {
		return New(c, now)
	}
	t, err := begin(c, r, now)
	if err == nil {
		t.resume(r)
	}
	return t.State, err
}

// LookBack starts a game that only shows a match, from its first disc.
func LookBack(r Record, now time.Time) State {
	t := step{State: State{since: now, touched: now}, now: now}
	t.lookAt(r)
	t.openRound(0)
	t.look.alone, t.look.plays, t.look.moved = true, true, now
	t.enter(Looking)
	return t.State
}

// NewPuzzles starts a game of puzzles that the player wins with a number of discs, 1 to 5.
func NewPuzzles(c Config, discs int, now time.Time) (State, error) {
	t, err := begin(c, Record{}, now)
	if err == nil {
		t.startPuzzles(discs)
	}
	return t.State, err
}

func begin(c Config, resumes Record, now time.Time) (step, error) {
	s := State{config: c, last: c.Last, menu: newMenu(c, cmp.Or(resumes, c.Parked, c.Last)), chance: *rand.NewPCG(c.Seed, 0), since: now, touched: now}
	t := step{State: s, now: now}
	if c.Parked.Begun() {
		t.park(c.Parked)
	}
	return t, c.Check()
}

// Step is like [State.StepFrom], for a game with a single source of events.
func (s State) Step(now time.Time, ev Event) (State, []Effect) { return s.StepFrom(now, ev, Source{}) }

// StepFrom handles an event from a source. It first makes the changes that time alone has caused, so
// that a press just after a disc has landed is a press in the next turn.
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
	case Column, Command, Select, Choose:
		t.input(ev)
	case Disc:
		t.refuse(t.disc(ev))
	case Point:
		t.point(ev.Col)
	case Start:
		t.refuse(t.startRemote(ev))
	case End:
		t.refuse(t.endRemote())
	case Take:
		t.refuse(t.take(ev))
	case Leave, Present, Absent, Reachable:
		t.refuse(t.ofSeat(ev))
	case Voice:
		t.hear(ev)
	case Admit:
		t.refuse(t.admit(ev))
	case Show:
		t.refuse(t.show(ev))
	case Withdraw:
		if t.phase == Admitting && t.admission.ID == ev.ID {
			t.endAdmission(Rejected)
		}
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
			t.setCursor(t.advice.Best(t.position()))
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
	t.replaced()
	return t.State, t.effects
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
			if t.solving.on {
				t.landPuzzle()
			} else {
				t.land()
			}
		case Admitting:
			t.endAdmission(Rejected)
		case Hinting:
			t.enter(Aim)
			t.hintEnded = t.now
		case Looking:
			t.passLook()
		default:
			t.skip()
		}
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
		if t.demo.standing == nil {
			t.think(t.demo.game, demoLevel)
		}
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
