package game

import (
	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// entry is a choice on the menu's first page.
type entry uint8

const (
	entryTwo      entry = iota // two players
	entryComputer              // one player against the computer
	entryFull                  // the full matrix, for two players or against the computer
	entryLook                  // look back at the last match
	entryPuzzle                // puzzles
	entryFirst                 // who starts the rounds; a press changes the answer
	entries
)

var entryNames = [entries]string{"two players", "computer", "8x8", "look back", "puzzle"}

// firstNames has the text of entryFirst for each [board.First] that the menu can show.
var firstNames = [...]string{
	board.FirstRed: "starts: red", board.FirstYellow: "starts: yellow", board.FirstAlternate: "starts: in turn",
	board.FirstLoser: "starts: loser", board.FirstRandom: "starts: random",
}

// secondPages has the choices on the second page of each entry. An entry without a second page
// takes effect when it is pressed.
var secondPages = [entries][]string{
	entryComputer: levels.Names(),
	entryFull:     append([]string{entryNames[entryTwo]}, levels.Names()...),
	entryPuzzle:   {"1 disc to win", "2 discs", "3 discs", "4 discs", "5 discs"},
}

// The second page of entryFull has one more choice than there are levels. If a page has no room for
// them all, this constant is negative and does not compile.
const _ = uint(MaxChoices - levels.Count - 1)

// menu is the state of the menu: the page that is shown, and the choice on every page.
type menu struct {
	entry  entry
	second bool           // the entry's second page is shown
	items  [entries]uint8 // the choice on each second page
	first  board.First    // who starts the rounds of the next match; a resumed match does not change it
}

// newMenu returns a menu with two players selected and, on the computer's page, the default
// level.
func newMenu(first board.First) menu {
	m := menu{first: first}
	m.items[entryComputer] = uint8(levels.Usual - levels.Novice)
	return m
}

// menuChoices returns the choices on the page that is shown.
func (s *State) menuChoices() (c Choices) {
	m := s.menu
	if m.second {
		c.set(entryNames[m.entry], secondPages[m.entry], int(m.items[m.entry]))
	} else {
		c.set("menu", entryNames[:], int(m.entry))
		c.Names[entryFirst] = firstNames[m.first]
		if m.first == board.FirstYellow && s.config.Rules.FillsMatrix() {
			c.Names[entryFirst] = "starts: blue"
		}
	}
	return c
}

// level returns the selected level of the computer, or 0 for two players.
func (m menu) level() levels.Level {
	switch m.entry {
	case entryComputer:
		return levels.Novice + levels.Level(m.items[entryComputer])
	case entryFull:
		return levels.Level(m.items[entryFull])
	}
	return 0
}

// sideways moves the choice on the page to the left or right.
func (m *menu) sideways(dir int, hold bool) {
	if m.second {
		item := &m.items[m.entry]
		*item = uint8(wrap(int(*item), dir, len(secondPages[m.entry]), hold))
		return
	}
	m.entry = entry(wrap(int(m.entry), dir, int(entries), hold))
}

// played returns the menu with the last match's choices selected, so that one press starts a
// rematch.
func (s *State) played() menu {
	m := s.menu
	switch r := s.record.Match.Rules(); {
	case r.FillsMatrix() && r != s.config.Rules:
		m.entry, m.items[entryFull] = entryFull, uint8(s.record.Level)
	case s.record.Computer != board.Empty:
		m.entry, m.items[entryComputer] = entryComputer, uint8(s.record.Level-levels.Novice)
	default:
		m.entry = entryTwo
	}
	m.second = secondPages[m.entry] != nil
	return m
}

// menuSetup returns the setup of the match that the menu would start. If the menu still has the
// last match's choices, that is the last match's setup; otherwise it is the configured setup with
// the menu's board and level. In both cases, the menu decides who starts.
func (s *State) menuSetup() Setup {
	if s.rematch && s.menu == s.played() {
		again := s.record.Setup()
		again.First = s.menu.first
		return again
	}
	setup := s.config.Setup
	setup.Opening, setup.Level, setup.First = "", s.menu.level(), s.menu.first
	if s.menu.entry == entryFull {
		setup.Rules = board.FullMatrix
	}
	switch {
	case setup.Level == 0:
		setup.Computer = board.Empty
	case setup.Computer == board.Empty:
		setup.Computer = board.Yellow
	}
	return setup
}

func (t *step) inMenu(k Key) {
	switch k {
	case Left, Right:
		t.sideways(k, false)
	case Up:
		if t.menu.second {
			t.menu.second = false
		} else {
			t.startDemo()
		}
	case Down, Middle:
		if !t.menu.second && secondPages[t.menu.entry] != nil {
			t.menu.second = true
		} else {
			t.startEntry()
		}
	}
}

// startEntry carries out the selected entry.
func (t *step) startEntry() {
	switch t.menu.entry {
	case entryLook:
		t.lookBack()
	case entryPuzzle:
		t.startPuzzles(t.menu.discs())
	case entryFirst:
		t.menu.first = (t.menu.first + 1) % board.First(len(firstNames))
	default:
		t.startMatch(t.menuSetup())
	}
}

// discs returns how many discs the selected puzzles take to win.
func (m menu) discs() int { return int(m.items[entryPuzzle]) + 1 }
