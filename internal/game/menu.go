package game

import (
	"cmp"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/match"
)

const (
	menuIdle  = 60 * time.Second
	swapEvery = time.Second
)

// EntryResume is the name of the entry that resumes a match.
const EntryResume = "resume"

const twoPlayers = "two players"

// entry is a choice on the menu's first page.
type entry int

const (
	entryResume   entry = iota // resume the parked match; only shown if there is one
	entryTwo                   // two players
	entryComputer              // one player against the computer
	entryOther                 // another board, for two players or against the computer
	entryLook                  // look back at the last match
	entryPuzzle                // puzzles
	entryFirst                 // who starts the rounds; a press changes the answer
	entries
)

// menuEntries has the entries of the menu. One with a second page shows it first.
var menuEntries = [entries]struct {
	name   string      // empty: it depends
	second []string    // the choices on its second page
	does   func(*Game) // nil: a press changes the choice, and there is no second page
	icons  *sheet
	icon   int
}{
	entryResume:   {name: EntryResume, does: func(g *Game) { g.resume(g.parked) }, icons: &menuSheet, icon: 0},
	entryTwo:      {name: twoPlayers, does: (*Game).startChosen, icons: &menuSheet, icon: 1},
	entryComputer: {name: "computer", second: match.LevelNames(), does: (*Game).startChosen, icons: &menuSheet, icon: 2},
	entryOther:    {second: append([]string{twoPlayers}, match.LevelNames()...), does: (*Game).startChosen, icons: &menuSheet, icon: 3},
	entryLook:     {name: "look back", does: func(g *Game) { g.lookBack(false) }, icons: &menuSheet, icon: 4},
	entryPuzzle:   {name: "puzzle", second: puzzleNames, does: func(g *Game) { g.startPuzzles(g.menu.discs()) }, icons: &menuSheet, icon: puzzleIcon},
	entryFirst:    {name: "who starts", second: starters, icons: &menuSheet, icon: firstIcon},
}

var puzzleNames = []string{"1 disc", "2 discs", "3 discs", "4 discs", "5 discs"}

// The second page of entryOther has one more choice than there are levels. If a page has no room for
// them all, this constant is negative and does not compile.
const _ = uint(MaxChoices - match.LevelCount - 1)

// starters has what each [board.First] is called in the menu, and starterIcons its icon.
var (
	starters     = []string{board.FirstRed: "red", board.FirstYellow: "yellow", board.FirstAlternate: "in turn", board.FirstLoser: "loser", board.FirstRandom: "random"}
	starterIcons = [...]int{board.FirstYellow: 1, board.FirstLoser: 2, board.FirstRandom: 3}
)

// menu is the page that is shown, and the choice on every page.
type menu struct {
	plain
	entry  entry
	second bool         // the entry's second page is shown
	items  [entries]int // the choice of each entry; a resumed match does not change that of entryFirst
}

// newMenu returns a menu with two players selected and, on the computer's page, the configured level, the one
// last played or, the first time, one that a beginner can beat. last is the last match, if there is one.
func newMenu(c Config, last Record) menu {
	m := menu{entry: entryTwo}
	if m.items[entryFirst] = int(c.First); c.LastFirst && last.ID != "" {
		m.items[entryFirst] = int(last.Match.First())
	}
	m.items[entryComputer] = int(cmp.Or(c.MenuLevel, c.LastLevel, match.Beginner) - match.Novice)
	return m
}

func (*menu) next(g *Game) (time.Time, func(*Game)) { return g.touched.Add(menuIdle), (*Game).openDemo }

func (m *menu) press(g *Game, in input) {
	switch {
	case in.dir != 0 && m.second:
		g.hold(in)
		m.change(g, in.dir, in.held)
		g.refused.hidden = true
		return
	case in.key == Less:
		m.change(g, -1, false)
	case in.key == More:
		m.change(g, +1, false)
	case in.key == Up && !m.second:
		g.openDemo()
	case in.key == Up, in.key == Back:
		m.second = false
	case in.key == OpenLook:
		g.lookBack(false)
	case in.key != Down && in.key != Middle:
	case !m.second && menuEntries[m.entry].second != nil && menuEntries[m.entry].does != nil:
		m.second = true
	default:
		m.start(g)
	}
	chosen, takes, ok := g.list(in, m.choices(g))
	switch {
	case !ok:
		return
	case m.second:
		m.items[m.entry] = chosen
	default:
		m.entry = g.topEntry() + entry(chosen)
	}
	if takes {
		m.start(g)
	}
}

// start does what the entry says.
func (m *menu) start(g *Game) {
	if does := menuEntries[m.entry].does; does != nil {
		does(g)
	} else {
		m.change(g, +1, false)
	}
}

func (g *Game) startChosen() { g.startMatch(g.menuSetup()) }

// change changes the choice of the selected entry by one step.
func (m *menu) change(g *Game, dir int, held bool) {
	e, item := &menuEntries[m.entry], &m.items[m.entry]
	if was, n := *item, len(e.second); n > 0 {
		if *item = wrap(was, dir, n, e.does != nil); *item == was { // perfect is not beside novice
			g.noteEdge(dir, held)
		}
	}
}

// topEntry returns the first entry of the menu's first page.
func (g *Game) topEntry() entry {
	if g.parked.ID == "" {
		return entryTwo
	}
	return entryResume
}

// otherBoard returns the board of entryOther: 8×8, or 7×6 where that is configured.
func (g *Game) otherBoard() board.Rules {
	if g.config.Rules.FillsMatrix() {
		return board.Standard
	}
	return board.FullMatrix
}

// level returns the selected level of the computer, or 0 for two players.
func (m *menu) level() match.Level {
	switch m.entry {
	case entryComputer:
		return match.Novice + match.Level(m.items[entryComputer])
	case entryOther:
		return match.Level(m.items[entryOther])
	}
	return 0
}

// starts returns who starts the rounds of the next match.
func (m *menu) starts() board.First { return board.First(m.items[entryFirst]) }

func (m *menu) discs() int { return m.items[entryPuzzle] + 1 }

// played returns the menu with the last match's choices, so that one press starts a rematch.
func (g *Game) played() menu {
	m := g.menu
	if g.record.Level > 0 {
		m.items[entryComputer] = int(g.record.Level - match.Novice)
	}
	switch r := g.record.Match.Rules(); {
	case r.FillsMatrix() != g.config.Rules.FillsMatrix():
		m.entry, m.items[entryOther] = entryOther, int(g.record.Level)
	case g.record.Computer != board.Empty:
		m.entry = entryComputer
	default:
		m.entry = entryTwo
	}
	m.second = m.entry != entryTwo && !g.config.Waits // without a HAT, the menu is a list that shows the values
	return m
}

// menuSetup returns the setup of the match that the menu would start: that of the last match if the
// menu still has its choices, otherwise the configured one with the menu's board and level. In both
// cases, the menu decides who starts.
func (g *Game) menuSetup() Setup {
	if g.rematch && g.menu == g.played() {
		again := g.record.Setup()
		again.First = g.menu.starts()
		return again
	}
	setup := g.againstComputer()
	if g.menu.entry == entryOther {
		setup.Rules = g.otherBoard()
	}
	if setup.Level = g.menu.level(); setup.Level == 0 {
		setup.Computer = board.Empty
	}
	return setup
}

// againstComputer returns the configured setup against the computer, with the menu's level and who starts there.
func (g *Game) againstComputer() Setup {
	setup := g.config.Setup
	setup.Opening, setup.First, setup.Computer = "", g.menu.starts(), cmp.Or(setup.Computer, board.Yellow)
	setup.Level = match.Novice + match.Level(g.menu.items[entryComputer])
	return setup
}

// name returns the name of an entry, without its choice.
func (g *Game) name(e entry) string {
	if e == entryOther {
		return g.otherBoard().String()
	}
	return menuEntries[e].name
}

// choices returns what is shown of the page in words.
func (m *menu) choices(g *Game) (c Choices) {
	if m.second {
		c.Page, c.Chosen = g.name(m.entry), m.items[m.entry]
		copy(c.Names[:], menuEntries[m.entry].second)
		return c
	}
	top := g.topEntry()
	c.Page, c.Chosen = "menu", int(m.entry-top)
	for e := top; e < entries; e++ {
		name, second := g.name(e), menuEntries[e].second
		switch {
		case e == entryFirst && m.starts() == board.FirstYellow:
			name += ": " + g.config.Rules.Name(board.Yellow)
		case second != nil:
			name += ": " + second[m.items[e]]
		}
		c.Names[e-top] = name
	}
	return c
}

// show shows the icon of the selected entry. On a second page, a row of LEDs shows the computer's level, or how
// many discs the puzzles take to win.
func (m *menu) show(g *Game, p *picture) {
	p.Phase, p.Choices = Menu, m.choices(g)
	if _, dark := g.refused.shows(p); dark {
		return
	}
	of, bars := m.entry, 0
	second := discLED(g.menuSetup().Rules, board.Yellow)
	lit := second
	switch {
	case !m.second:
	case m.entry == entryPuzzle:
		bars, lit = m.discs(), LEDYellow
	case m.level() == 0:
		of = entryTwo
	default:
		of, bars = entryComputer, int(m.level())
	}
	icon := menuEntries[of].icon
	switch {
	case of == entryFirst && m.starts() == board.FirstAlternate: // 1 and 2 exchange their colours
		icon += p.beat(g.since, swapEvery) % 2
	case of == entryFirst:
		icon += starterIcons[m.starts()]
	case of == entryOther && g.config.Rules.FillsMatrix():
		icon = sevenIcon
	}
	menuEntries[of].icons.draw(&p.Frame, icon)
	if of == entryTwo || of == entryFirst {
		replace(&p.Frame, LEDYellow, second)
	}
	for bar := range bars {
		p.Frame[8*(side-1)+1+bar] = lit
	}
	drawEdges(&p.Frame, !m.second || p.Choices.Chosen > 0, !m.second || p.Choices.Chosen < len(p.Choices.All())-1)
}

// Places of icons in the menu's sheet. That of entryFirst has one for each [board.First]: 1 and 2 in the
// players' colours, which they exchange if the players take turns, a sad face, and a die.
const (
	puzzleIcon = 5
	firstIcon  = 6
	sevenIcon  = 10 // a 7×6 board, in place of the 8 where 8×8 is configured
)

// menuSheet has an arrow over a board, people, a robot, an 8, an eye, a jigsaw piece, and the icons above.
var menuSheet = sheet{
	"..W..... ........ ...LL... ..RRRR.. ........ ...WW... ........ ........ ..YYYY.. .llllll. .RRRRRR.",
	"..WWW... .RR..YY. .LLLLLL. .RR..RR. ........ ...WW... ..R.YYY. ..Y.RRR. .Y....Y. lLLllLLl .RRRRRR.",
	"..WWWWW. .RR..YY. .LWLLWL. .RR..RR. ........ .WWWWWW. .RR...Y. .YY...R. Y.L..L.Y lLLllLLl .....RR.",
	"..WWW... ........ .LLLLLL. ..RRRR.. ..LLLL.. .WWWWWW. ..R.YYY. ..Y.RRR. Y......Y lllLLlll ....RR..",
	"..W..... .RR..YY. .L.LL.L. ..BBBB.. .L....L. ...WWWWW ..R.Y... ..Y.R... Y..LL..Y lllLLlll ....YY..",
	"OOOOOOOO RRRRYYYY .LLLLLL. .BB..BB. L..BB..L ...WWWWW ..R.YYY. ..Y.RRR. Y.L..L.Y lLLllLLl ...YY...",
	"OORYOOOO RRRRYYYY ........ .BB..BB. .L.BB.L. .WWWWWW. ........ ........ .Y....Y. lLLllLLl ...YY...",
	"ORYYROOO RRRRYYYY ........ ..BBBB.. ..LLLL.. ........ ........ ........ ..YYYY.. .llllll. ...YY...",
}
