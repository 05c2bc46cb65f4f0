package game

import (
	"fmt"

	"github.com/c4hat/c4hat/board"
)

// page is a page of the menu.
type page uint8

const (
	pageTwo    page                  = iota // two players
	pageLevels                              // the computer at its first level, and more
	pageFull   = pageLevels + Levels        // two players on the full matrix
	pages      = pageFull + 1
)

// level is the computer's on its pages, and 0 on the others.
func (p page) level() int {
	if p < pageLevels || p >= pageFull {
		return 0
	}
	return int(p-pageLevels) + 1
}

// String is the page in words.
func (p page) String() string {
	switch {
	case p.level() > 0:
		return fmt.Sprintf("computer, level %d", p.level())
	case p == pageFull:
		return "8x8, two players"
	}
	return "two players"
}

// rules are what a page plays by: the configured rules where they are of its
// kind, so that one press after a match is a rematch.
func (p page) rules(c Config) board.Rules {
	switch {
	case p.level() > 0 && c.Computer != board.Empty:
		return c.Rules
	case (p == pageFull) == c.Rules.Full():
		return c.Rules
	case p == pageFull:
		return board.FullMatrix
	}
	return board.Standard
}

func (t *step) inMenu(ev Event) {
	p, ok := ev.(Press)
	if !ok {
		return
	}
	switch p.Key {
	case Left, Right:
		t.sideways(p.Key, false)
	case Up:
		t.startDemo()
	case Down, Middle:
		t.startMatch()
	}
}

func (t *step) startMatch() {
	// The configuration was checked when the program began, and the other
	// pages' rules are good.
	t.match, _ = board.NewMatch(t.page.rules(t.config), t.config.Points, t.config.First, t.chance.Uint64())
	t.startRound()
}
