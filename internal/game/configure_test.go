package game

import (
	"errors"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/match"
)

// A changed configuration applies from the next match on. The menu then starts a match with it, not
// a rematch with the old one.
func TestConfigure(t *testing.T) {
	now := time.Unix(0, 0)
	old := Setup{Rules: board.Standard, Points: 2}
	s, err := New(Config{Setup: old, Forever: true, Idle: time.Minute}, now)
	must(t, err)
	do := func(ev Event) []Effect {
		now = now.Add(time.Second)
		effects := s.Step(now, ev)
		return effects
	}
	do(Column{3})
	long := Setup{Rules: board.Standard, Points: 3}
	if effects := do(Configure{Setup: long, Idle: time.Hour}); len(effects) > 0 {
		t.Errorf("effects: %v", effects)
	}
	if v := s.View(now); v.Match.Target() != 2 || v.Game.String() != "4" {
		t.Errorf("the match is to %d points after %q", v.Match.Target(), v.Game.String())
	}
	now = now.Add(30 * time.Minute)
	if do(Tick{}); s.Phase() == Dark {
		t.Error("dark after the old idle time")
	}
	do(End{})
	do(Press{Key: Middle})
	if v := s.View(now); v.Phase != Aim || v.Match.Target() != 3 {
		t.Errorf("%v, to %d points, want 3", v.Phase, v.Match.Target())
	}
	// A level takes effect when it changes, so that another reload leaves the menu as it is.
	do(End{})
	do(Press{Key: Right})
	for _, step := range []struct{ file, menu match.Level }{
		{match.Hard, match.Hard}, {match.Hard, match.Perfect}, {0, match.Perfect}, {match.Easy, match.Easy},
	} {
		do(Configure{Setup: long, Idle: time.Hour, MenuLevel: step.file})
		if got := s.View(now).Choices.Name(); got != "computer: "+step.menu.String() {
			t.Errorf("configured %v: the menu has %q", step.file, got)
		}
		s.menu.items[entryComputer] = int(match.Perfect - match.Novice)
	}
	effects := do(Configure{Setup: Setup{Rules: board.Standard, Points: 4}})
	if len(effects) != 1 {
		t.Fatalf("effects: %v", effects)
	}
	if refused, ok := effects[0].(Refused); !ok || !errors.Is(refused.Err, match.ErrPoints) {
		t.Errorf("4 points: %v", effects[0])
	}
}

// A resumed match, which an older version may have saved, keeps the player who starts its rounds. A
// match that follows it, even a rematch, starts as the configuration says.
func TestResumedFirst(t *testing.T) {
	now := time.Unix(0, 0)
	m, g, err := board.ParseMatch(board.Standard, 2, board.FirstRed, 0, []string{"44"})
	must(t, err)
	c := Config{Setup: Setup{Rules: board.Standard, Points: 2, First: board.FirstAlternate}, Forever: true, Run: "new"}
	s, err := Resume(c, Record{ID: "old", Match: m, Game: g}, now)
	must(t, err)
	if first := s.record.Match.First(); first != board.FirstRed {
		t.Errorf("the resumed match: %v", first)
	}
	for _, ev := range []Event{End{}, Press{Key: Middle}} { // the press is a rematch
		now = now.Add(time.Second)
		s.Step(now, ev)
	}
	if first := s.record.Match.First(); s.Phase() != Aim || first != board.FirstAlternate {
		t.Errorf("the next match: %v, %v", s.Phase(), first)
	}
}

// Unless the configuration says who starts, the menu begins as the last match did: the one to resume or, if
// there is none, the last that ended. A reload changes that only if it changes who starts.
func TestLastFirst(t *testing.T) {
	of := func(first board.First) Record {
		m, g, err := board.ParseMatch(board.Standard, 2, first, 0, []string{"4"})
		must(t, err)
		return Record{ID: first.String(), Match: m, Game: g}
	}
	loser, red := of(board.FirstLoser), of(board.FirstRed)
	for _, tt := range []struct {
		set                   bool
		resumes, parked, last Record
		want                  board.First
	}{
		{false, Record{}, Record{}, Record{}, board.FirstAlternate},
		{false, Record{}, Record{}, loser, board.FirstLoser},
		{false, Record{}, red, loser, board.FirstRed},
		{false, red, Record{}, loser, board.FirstRed},
		{true, red, Record{}, loser, board.FirstAlternate},
	} {
		setup := Setup{Rules: board.Standard, Points: 2, First: board.FirstAlternate}
		c := Config{Setup: setup, Attract: true, Forever: true, LastFirst: !tt.set, Parked: tt.parked, Last: tt.last}
		s, err := Resume(c, tt.resumes, start)
		must(t, err)
		setup.Points = 3
		if s.Step(start, Configure{Setup: setup}); s.menu.starts() != tt.want {
			t.Errorf("%+v: the menu has %v", tt, s.menu.starts())
		}
		setup.First = board.FirstRandom
		if s.Step(start, Configure{Setup: setup}); s.menu.starts() != board.FirstRandom {
			t.Errorf("after a reload the menu has %v", s.menu.starts())
		}
	}
}

func TestNewErrors(t *testing.T) {
	good := Config{Setup: Setup{Rules: board.Standard, Points: 2}}
	for name, breakIt := range map[string]func(*Config){
		"no line":       func(c *Config) { c.Rules = board.Rules{Columns: 3, Rows: 3, Connect: 4} },
		"rules":         func(c *Config) { c.Rules.Columns = 9 },
		"points":        func(c *Config) { c.Points = 4 },
		"no points":     func(c *Config) { c.Points = 0 },
		"first":         func(c *Config) { c.First = 77 },
		"opening":       func(c *Config) { c.Opening = "48" },
		"opening over":  func(c *Config) { c.Opening = "1212121" },
		"opening drawn": func(c *Config) { c.Opening = "121212212121343434434343565656656565777777" },
	} {
		c := good
		breakIt(&c)
		if _, err := New(c, start); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if _, err := New(good, start); err != nil {
		t.Error(err)
	}
}
