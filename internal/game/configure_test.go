package game

import (
	"testing"

	"github.com/c4hat/c4hat/board"
)

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
