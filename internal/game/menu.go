package game

import (
	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// page is a page of the menu.
type page uint8

const (
	pageTwo    page                              = iota // two players
	pageLevels                                          // the computer at its first level, and more
	pageFull   = pageLevels + page(levels.Count)        // two players on the full matrix
	pages      = pageFull + 1
)

// level is the computer's level on its pages, 0 on the others.
func (p page) level() int {
	if p < pageLevels || p >= pageFull {
		return 0
	}
	return int(p-pageLevels) + 1
}

var pageNames = [pages]string{
	"two players", "computer, level 1", "computer, level 2", "computer, level 3", "computer, level 4",
	"computer, level 5", "8x8, two players",
}

// pageSetup is the setup of a page's match: that of the last match if it belongs to this
// page, so that one press is a rematch; otherwise the configured one.
func (s *State) pageSetup(p page) Setup {
	if s.rematch && p == s.setup.page() {
		again := s.setup
		again.Opening = ""
		return again
	}
	setup := s.config.Setup
	setup.Opening, setup.Level = "", p.level()
	ofKind := (p == pageFull) == setup.Rules.FillsMatrix()
	switch {
	case p.level() == 0:
		setup.Computer = board.Empty
	case setup.Computer == board.Empty:
		setup.Computer = board.Yellow
	default:
		ofKind = true
	}
	switch {
	case ofKind:
	case p == pageFull:
		setup.Rules = board.FullMatrix
	default:
		setup.Rules = board.Standard
	}
	return setup
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
		t.startMatch(t.pageSetup(t.page))
	}
}
