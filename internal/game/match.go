package game

import (
	"errors"
	"strconv"

	"github.com/c4hat/c4hat/board"
)

// Record is a match as it is kept: enough to go on with it.
type Record struct {
	ID       string      // names the match for ever
	Match    board.Match // as it was before the round
	Game     board.Game  // the round under way, or just over
	Opening  int         // plies of the first round that were on the board before it
	Computer board.Disc  // the player that the computer is; Empty between two people
	Level    int         // of the computer; else 0
}

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
	t.id = t.config.Run + "-" + strconv.Itoa(t.matches)
	t.match, _ = board.NewMatch(s.Rules, s.Points, s.First, t.chance.Uint64())
	t.startRound(s.Opening)
}

// resume goes on with a match that was kept.
func (t *step) resume(r Record) {
	t.setup = Setup{
		Rules: r.Match.Rules(), Points: r.Match.Target(), First: r.Match.First(),
		Computer: r.Computer, Level: r.Level,
	}
	t.page, t.rematch = t.setup.page(), true
	t.id, t.match, t.game = r.ID, r.Match, r.Game
	if t.match.Played() == 0 {
		t.opening = r.Opening
	}
	if position := t.game.Position(); position.Outcome() != board.Playing {
		t.fall() // its last disc once more
		return
	}
	t.startTurn()
}

// record is the match as it is to be kept now.
func (s *State) record() Record {
	r := Record{ID: s.id, Match: s.match, Game: s.game, Opening: s.opening, Computer: s.setup.Computer, Level: s.setup.Level}
	if position := s.game.Position(); position.Outcome() != board.Playing && s.phase != Fall {
		r.Game = s.match.NewGame() // the round is in the match already
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
		t.effects = append(t.effects, Save{t.saves, t.record()})
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
	return phase.InMatch() && s.match.Winner() == board.Empty
}

// abandon gives the match up.
func (t *step) abandon() {
	if t.underWay() {
		t.finish(t.record(), true)
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

// startFromAfar is somebody far away who wants a match. One that was left alone for the
// idle time does not stand in the way.
func (t *step) startFromAfar(ev Start) {
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

// endFromAfar is somebody far away who has had enough.
func (t *step) endFromAfar() {
	if !t.underWay() {
		t.effects = append(t.effects, Refused{ErrNoMatch})
		return
	}
	t.touched = t.now
	t.abandon()
	t.endMatch()
}
