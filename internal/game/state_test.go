package game

import (
	"testing"

	"github.com/c4hat/c4hat/board"
)

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
