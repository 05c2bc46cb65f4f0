package game

import (
	"errors"
	"strconv"

	"github.com/c4hat/c4hat/board"
)

// Refusals of what somebody far away asks for.
var (
	ErrUnderWay = errors.New("a match is under way")
	ErrNoMatch  = errors.New("no match is under way")
	ErrBusy     = errors.New("earlier matches are still being written to the disk: try again")
)

// startMatch begins a match with a setup that was checked.
func (t *step) startMatch(s Setup) {
	if s.Computer == board.Empty {
		s.Level = 0
	}
	t.setup, t.page, t.rematch = s, s.page(), true
	t.matches++
	match, _ := board.NewMatch(s.Rules, s.Points, s.First, t.chance.Uint64())
	t.record = Record{
		ID: t.config.Run + "-" + strconv.Itoa(t.matches), Match: match, Computer: s.Computer, Level: s.Level,
	}
	t.startRound(s.Opening)
}

// resume continues a match that was kept.
func (t *step) resume(r Record) {
	t.setup = r.setup()
	t.page, t.rematch = t.setup.page(), true
	t.record = r
	if r.Match.Played() > 0 {
		t.record.Opening = 0
	}
	if position := r.Game.Position(); position.Outcome() != board.Playing {
		t.fall() // its last disc once more
		return
	}
	t.startTurn()
}

// kept is the match as it is to be kept now: with the next round in the place of one that
// is counted.
func (s *State) kept() Record {
	r := s.record
	if r.Counted {
		r.Game, r.Counted = r.Match.NewGame(), false
	}
	return r
}

// save gives the match away to be kept, where it has changed.
func (t *step) save() {
	if t.unsaved {
		t.unsaved = false
		t.saves++
		if t.config.Keeps {
			t.saving = t.saves
		}
		t.effects = append(t.effects, Save{t.saves, t.kept()})
	}
}

// saved is the disk's answer.
func (t *step) saved(s Saved) {
	if s.ID >= t.saving {
		t.saving = 0
	}
}

// finish gives the match away for good.
func (t *step) finish(r Record, abandoned bool) {
	t.unsaved = false
	t.effects = append(t.effects, Finish{r, abandoned})
}

// underWay says whether there is a match that nobody has won yet.
func (s *State) underWay() bool {
	phase := s.phase
	if phase == Dark {
		phase = s.resumes
	}
	return phase.InMatch() && s.record.Match.Winner() == board.Empty
}

// abandon gives the match up.
func (t *step) abandon() {
	if t.underWay() {
		t.finish(t.kept(), true)
	}
}

// configure is a changed configuration.
func (t *step) configure(ev Configure) {
	if err := ev.Setup.Check(); err != nil {
		t.effects = append(t.effects, Refused{err})
		return
	}
	if t.config.Setup != ev.Setup {
		t.config.Setup, t.rematch = ev.Setup, false
	}
	t.config.Idle = ev.Idle
}

// startRemote is somebody far away who wants a match. One that was left alone for the
// idle time does not stand in the way.
func (t *step) startRemote(ev Start) {
	if t.underWay() && t.phase != Dark && !ev.Force {
		t.effects = append(t.effects, Refused{ErrUnderWay})
		return
	}
	if err := ev.Setup.Check(); err != nil {
		t.effects = append(t.effects, Refused{err})
		return
	}
	t.abandon()
	if ev.Seed != 0 {
		t.chance.Seed(ev.Seed, 0)
	}
	t.touched = t.now
	t.windows = windows{} // a key of before is none of this match's: its first counts at once
	t.notice = Notice{}
	t.startMatch(ev.Setup)
}

// endRemote is somebody far away who has had enough.
func (t *step) endRemote() {
	if !t.underWay() {
		t.effects = append(t.effects, Refused{ErrNoMatch})
		return
	}
	t.touched = t.now
	t.abandon()
	t.endMatch()
}
