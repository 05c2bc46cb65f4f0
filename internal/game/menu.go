package game

import (
	"cmp"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// MaxChoices is the largest number of choices on a page of the menu.
const MaxChoices = 8

// Choices has, in words, the choices on a page of the menu or on the pause screen.
type Choices struct {
	Page   string             // the page's title; empty if no page is shown
	Names  [MaxChoices]string // from left to right; unused ones are empty
	Chosen int
}

// Name returns the name of the chosen entry; it is empty if there is no page.
func (c Choices) Name() string { return c.Names[c.Chosen] }

// All returns the names on the page.
func (c Choices) All() []string {
	n := 0
	for n < len(c.Names) && c.Names[n] != "" {
		n++
	}
	return c.Names[:n]
}

func (c *Choices) set(page string, names []string, chosen int) {
	c.Page, c.Chosen = page, chosen
	copy(c.Names[:], names)
}

// EntryResume is the name of the entry that resumes a match.
const EntryResume = "resume"

const twoPlayers = "two players"

// names are the names of the menu's entries and of what is chosen on their second pages, with the board of
// entryOther.
type names struct {
	other   board.Rules
	entries [entries]string
	values  [entries][MaxChoices]string
}

func newNames(other board.Rules) (n names) {
	n.other = other
	n.entries = [entries]string{EntryResume, twoPlayers, "computer", other.String(), "look back", "puzzle"}
	for e, page := range secondPages {
		for i, value := range page {
			n.values[e][i] = n.entries[e] + ": " + value
		}
	}
	return n
}

var usualNames, fullNames = newNames(board.FullMatrix), newNames(board.Standard)

// names returns the names of the menu, where 8×8 may be the configured board.
func (s *State) names() *names {
	if s.config.Rules.FillsMatrix() {
		return &fullNames
	}
	return &usualNames
}

// firstNames has the text of entryFirst for each [board.First] that the menu can show.
var firstNames = [...]string{
	board.FirstRed: "who starts: red", board.FirstYellow: "who starts: yellow",
	board.FirstAlternate: "who starts: in turn", board.FirstLoser: "who starts: loser", board.FirstRandom: "who starts: random",
}

// secondPages has the choices on the second page of each entry. An entry without a second page
// takes effect when it is pressed.
var secondPages = [entries][]string{
	entryComputer: levels.Names(),
	entryOther:    append([]string{twoPlayers}, levels.Names()...),
	entryPuzzle:   {"1 disc", "2 discs", "3 discs", "4 discs", "5 discs"},
}

// The second page of entryOther has one more choice than there are levels. If a page has no room for
// them all, this constant is negative and does not compile.
const _ = uint(MaxChoices - levels.Count - 1)

// newMenu returns a menu with two players selected and, on the computer's page, the configured level, the one
// last played or, the first time, one that a beginner can beat. last is the last match, if there is one.
func newMenu(c Config, last Record) menu {
	m := menu{entry: entryTwo, first: c.First}
	if c.LastFirst && last.ID != "" {
		m.first = last.Match.First()
	}
	m.items[entryComputer] = uint8(cmp.Or(c.MenuLevel, c.LastLevel, levels.Beginner) - levels.Novice)
	return m
}

func (s *State) menuChoices() (c Choices) {
	m, n := s.menu, s.names()
	if m.second {
		c.set(n.entries[m.entry], secondPages[m.entry], int(m.items[m.entry]))
	} else {
		top := s.topEntry()
		c.set("menu", n.entries[top:], int(m.entry-top))
		for e := top; e < entries; e++ {
			if secondPages[e] != nil {
				c.Names[e-top] = n.values[e][m.items[e]]
			}
		}
		first := &c.Names[entryFirst-top]
		*first = firstNames[m.first]
		if m.first == board.FirstYellow && s.config.Rules.FillsMatrix() {
			*first = "who starts: blue"
		}
	}
	return c
}

// topEntry returns the first entry of the menu's first page.
func (s *State) topEntry() entry {
	if s.parked.ID == "" {
		return entryTwo
	}
	return entryResume
}

// level returns the selected level of the computer, or 0 for two players.
func (m menu) level() levels.Level {
	switch m.entry {
	case entryComputer:
		return levels.Novice + levels.Level(m.items[entryComputer])
	case entryOther:
		return levels.Level(m.items[entryOther])
	}
	return 0
}

// walkMenu moves the choice on the page to the left or right.
func (t *step) walkMenu(dir int, hold bool) {
	if m, top := &t.menu, t.topEntry(); m.second {
		t.changeValue(dir, hold)
	} else {
		m.entry = top + entry(wrap(int(m.entry-top), dir, int(entries-top), hold))
	}
}

// changeValue changes the value of the selected entry by one step.
func (t *step) changeValue(dir int, hold bool) {
	m := &t.menu
	if n := len(secondPages[m.entry]); n > 0 {
		item := &m.items[m.entry]
		was := *item
		if *item = uint8(wrap(int(was), dir, n, true)); *item == was { // perfect is not beside novice
			t.noteEdge(dir, hold)
		}
	} else if m.entry == entryFirst {
		m.first = board.First(wrap(int(m.first), dir, len(firstNames), false))
	}
}

// played returns the menu with the last match's choices, so that one press starts a rematch.
func (s *State) played() menu {
	m := s.menu
	if s.record.Level > 0 {
		m.items[entryComputer] = uint8(s.record.Level - levels.Novice)
	}
	switch r := s.record.Match.Rules(); {
	case r.FillsMatrix() != s.config.Rules.FillsMatrix():
		m.entry, m.items[entryOther] = entryOther, uint8(s.record.Level)
	case s.record.Computer != board.Empty:
		m.entry = entryComputer
	default:
		m.entry = entryTwo
	}
	m.second = secondPages[m.entry] != nil && !s.config.Waits // without a HAT, the menu is a list that shows the values
	return m
}

// menuSetup returns the setup of the match that the menu would start: that of the last match if the
// menu still has its choices, otherwise the configured one with the menu's board and level. In both
// cases, the menu decides who starts.
func (s *State) menuSetup() Setup {
	if s.rematch && s.menu == s.played() {
		again := s.record.Setup()
		again.First = s.menu.first
		return again
	}
	setup := s.next()
	if s.menu.entry == entryOther {
		setup.Rules = s.names().other
	}
	if setup.Level = s.menu.level(); setup.Level == 0 {
		setup.Computer = board.Empty
	}
	return setup
}

// next returns the configured setup against the computer, with the menu's level and who starts there.
func (s *State) next() Setup {
	setup := s.config.Setup
	setup.Opening, setup.First, setup.Computer = "", s.menu.first, cmp.Or(setup.Computer, board.Yellow)
	setup.Level = levels.Novice + levels.Level(s.menu.items[entryComputer])
	return setup
}

func (m menu) discs() int { return int(m.items[entryPuzzle]) + 1 }

var choiceNames = [choices]string{EntryResume, "undo", "hint", "end", "read"}

// pauseEntries returns how many entries the pause screen has. The last one is there only while somebody
// listens: nobody else would notice what it does.
func (s *State) pauseEntries() int {
	if s.voices == 0 {
		return int(choiceRead)
	}
	return int(choices)
}

// wrap returns i moved by dir within 0 to n-1. A press wraps around; a held key stops at the edges.
func wrap(i, dir, n int, hold bool) int {
	i += dir
	if hold {
		return min(max(i, 0), n-1)
	}
	return (i + n) % n
}
