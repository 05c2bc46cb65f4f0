package game

import (
	"strconv"

	"github.com/c4hat/c4hat/board"
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

// newID returns the ID of a new match.
func (t *step) newID() string {
	t.matches++
	return t.config.Run + "-" + strconv.Itoa(t.matches)
}

// resume continues a saved match.
func (t *step) resume(r Record) {
	t.record = r
	t.menu, t.rematch = t.played(), true
	if t.position().Outcome() != board.Playing {
		t.fall() // show the last disc again
		return
	}
	t.startTurn()
}

// kept returns the match to save. A round that is already counted is replaced by the next, empty
// round.
func (s *State) kept() Record {
	r := s.record
	if r.Counted {
		r.Game, r.Counted = r.Match.NewGame(), false
	}
	return r
}

// save asks for the match to be saved, if it has changed.
func (t *step) save() {
	if t.solving.on {
		t.unsaved = false // puzzles are not saved
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

// saved handles the answer to a [Save].
func (t *step) saved(s Saved) {
	if s.ID >= t.saving {
		t.saving, t.behind = 0, s.Failed
	}
}

// finish asks for the match to be entered into the history, and makes the seats open.
func (t *step) finish(r Record, abandoned bool) {
	t.emptySeats()
	t.unsaved = false
	if r.Begun() {
		t.last = r
	}
	t.effects = append(t.effects, Finish{r, abandoned})
}

// underWay reports whether there is a match without a winner so far.
func (s *State) underWay() bool {
	phase := s.phase
	if phase == Admitting {
		phase = s.admission.before
	}
	if phase == Dark {
		phase = s.resumes
	}
	return phase.InMatch() && phase != Looking && !s.solving.on && s.record.Match.Winner() == board.Empty
}

// abandon abandons the match under way, if there is one.
func (t *step) abandon() {
	if t.underWay() {
		t.finish(t.kept(), true)
	}
}

// configure applies a changed configuration.
func (t *step) configure(ev Configure) error {
	if err := ev.Setup.Check(); err != nil {
		return err
	}
	if t.config.Setup != ev.Setup {
		t.config.Setup, t.rematch, t.menu.first = ev.Setup, false, ev.Setup.First
	}
	t.config.Idle = ev.Idle
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

// endRemote ends the match under way, at a client's request.
func (t *step) endRemote() error {
	if !t.underWay() {
		return ErrNoMatch
	}
	t.abandon()
	t.endMatch()
	return nil
}
