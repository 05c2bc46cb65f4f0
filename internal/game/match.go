package game

import (
	"strconv"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// startMatch starts a match with a setup that has been checked.
func (t *step) startMatch(s Setup) {
	t.solving.on = false
	t.seats = [2]seat{}
	if s.Computer == board.Empty {
		s.Level = 0
	}
	match, _ := board.NewMatch(s.Rules, s.Points, s.First, t.chance.Uint64())
	t.record = Record{ID: t.newID(), Match: match, Computer: s.Computer, Level: s.Level}
	t.menu, t.rematch = t.played(), true
	t.menu.first = s.First
	t.startRound(s.Opening)
}

func (t *step) newID() string {
	t.matches++
	return t.config.Run + "-" + strconv.Itoa(t.matches)
}

func (t *step) resume(r Record) {
	t.unsaved, r.Left = r.Left, false
	t.record = r
	t.menu, t.rematch = t.played(), true
	if t.position().Outcome() != board.Playing {
		t.fall() // show the last disc again
		return
	}
	t.startTurn()
}

// kept returns the match to save: with the next, empty round instead of one that is counted.
func (s *State) kept() Record {
	r := s.record
	if r.Counted {
		r.Game, r.Counted = r.Match.NewGame(), false
	}
	return r
}

func (t *step) save() {
	if t.solving.on {
		t.unsaved = false // puzzles are not saved
	}
	if t.parked.ID != "" && t.record.ID != t.parked.ID { // which stays saved until this match has a disc
		if t.unsaved = t.unsaved && t.record.Begun(); t.unsaved {
			t.effects = append(t.effects, Finish{t.parked, true})
			t.parked = Record{}
		}
	}
	if t.unsaved {
		t.unsaved = false
		t.saves++
		if t.config.Keeps {
			t.saving = t.saves
		}
		t.effects = append(t.effects, Save{t.saves, t.kept()})
	}
}

func (t *step) saved(s Saved) {
	if s.ID >= t.saving {
		t.saving, t.behind = 0, s.Failed
	}
}

// finish asks for the match to be entered into the history, and makes the seats open.
func (t *step) finish(r Record, abandoned bool) {
	r.Programs = [2]string{t.seats[0].Holder, t.seats[1].Holder}
	t.emptySeats()
	t.unsaved = false
	if r.Begun() {
		t.last = r
	}
	t.effects = append(t.effects, Finish{r, abandoned})
}

// leaveMatch leaves the match under way for the menu, which offers to resume it until another match
// has its first disc. A match without a menu, without discs or with a taken seat is over instead.
func (t *step) leaveMatch() {
	r := t.kept()
	if !t.config.Forever || !r.Begun() || t.seats[0].State != Open || t.seats[1].State != Open {
		t.abandon()
	} else {
		r.Left, t.unsaved = true, true
		t.park(r)
	}
	t.endMatch()
}

// park makes the menu offer a match.
func (t *step) park(r Record) {
	t.parked, t.record = r, r
	if t.last.ID == "" || t.last.ID == r.ID || r.Match.Played() > 0 { // otherwise there is more to see in the last one
		t.last = r
	}
	t.menu.entry, t.menu.second = entryResume, false
}

func (t *step) abandon() {
	switch {
	case !t.underWay():
	case t.parked.ID != "" && !t.record.Begun(): // the saved match is still the parked one
		t.emptySeats()
	default:
		t.finish(t.kept(), true)
	}
}

func (t *step) configure(ev Configure) error {
	if err := ev.Setup.Check(); err != nil {
		return err
	}
	if t.config.First != ev.Setup.First {
		t.menu.first = ev.Setup.First
	}
	if t.config.Setup != ev.Setup {
		t.config.Setup, t.rematch = ev.Setup, false
	}
	if ev.MenuLevel > 0 && t.config.MenuLevel != ev.MenuLevel {
		t.menu.items[entryComputer] = uint8(ev.MenuLevel - levels.Novice)
	}
	t.config.Idle, t.config.MenuLevel = ev.Idle, ev.MenuLevel
	return nil
}

// startRemote starts a match that a client asks for. See [Start] for which match it may replace.
func (t *step) startRemote(ev Start) error {
	if t.underWay() && t.phase != Dark && !ev.Force {
		return ErrUnderWay
	}
	if err := ev.Setup.Check(); err != nil {
		return err
	}
	if seat := ev.Take.Player; seat != board.Empty && seat == ev.Setup.Computer {
		return ErrComputers
	}
	t.abandon()
	if ev.Seed != 0 {
		t.chance.Seed(ev.Seed, 0)
	}
	t.touched = t.now
	t.windows = windows{} // the first drop key of this match is not ignored
	t.notice = Notice{}
	t.startMatch(ev.Setup)
	if ev.Take.Player == board.Empty {
		return nil
	}
	return t.take(ev.Take)
}

func (t *step) endRemote() error {
	if !t.underWay() {
		return ErrNoMatch
	}
	t.abandon()
	t.endMatch()
	return nil
}

// land ends a fall: the turn passes, or the round is over.
func (t *step) land() {
	t.behind = t.behind || t.saving != 0
	outcome := t.position().Outcome()
	if outcome == board.Playing {
		held := t.held
		t.turn()
		t.held = held // the key was already moving this turn's cursor
		if t.afterFall == Pause {
			t.pause()
			return
		}
		if t.phase == Aim {
			t.catchUp()
		}
		if t.afterFall == Hint {
			t.from = t.asker
			t.hint()
		}
		return
	}
	before := t.record
	t.record = before.Count() // cannot fail: the round is part of the match
	if t.record.Match.Winner() != board.Empty {
		t.finish(before, false)
	}
	if outcome == board.Draw {
		t.enter(Drawn)
	} else {
		t.enter(Cheer)
	}
}

func (t *step) skipRound() {
	won := t.record.Match.Winner() != board.Empty
	switch {
	case t.phase == Cheer:
		t.enter(Score)
	case t.phase == Score && won:
		t.enter(Victory)
	case t.phase == Score, t.phase == Victory:
		t.enter(Clear)
	case t.phase == Clear && won:
		t.endMatch()
	default: // after a draw, or a win that did not decide the match
		t.startRound("")
	}
}

// startRound starts a round, after opening moves that have been checked.
func (t *step) startRound(opening string) {
	t.record.Game, _ = board.ParseGame(t.record.Match.Rules(), t.record.Match.Starter(), opening)
	t.record.Counted = false
	if t.record.Match.Played() == 0 {
		t.record.Opening = t.position().Ply()
	}
	t.unsaved = true
	t.startTurn()
}

func (t *step) endMatch() {
	if menu := t.menu; t.parked.ID != "" {
		t.park(t.parked)
		if t.solving.on { // the menu stands on puzzles
			t.menu = menu
		}
	}
	if t.solving.on {
		t.solving.on, t.menu.second = false, false
	}
	if t.config.Forever {
		t.effects = append(t.effects, Rest{})
		t.enter(Menu)
		t.touched = t.now
		return
	}
	t.enter(Over)
	t.effects = append(t.effects, Stop{})
}
