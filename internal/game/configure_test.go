package game

import (
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
)

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
