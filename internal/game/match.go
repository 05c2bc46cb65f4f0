package game

import (
	"strconv"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/match"
)

// startMatch starts a match with a setup that has been checked.
func (g *Game) startMatch(s Setup) {
	g.puzzle = nil
	if s.Computer == board.Empty {
		s.Level = 0
	}
	terms, _ := board.NewMatch(s.Rules, s.Points, s.First, g.chance.Uint64())
	g.begin(Record{ID: g.newID(), Match: terms, Computer: s.Computer, Level: s.Level})
	g.menu.items[entryFirst] = int(s.First)
	g.startRound(s.Opening)
}

// begin makes a match the one under way, with open seats.
func (g *Game) begin(r Record) {
	g.record, g.playing = r, true
	g.seats, g.failed = [2]seat{}, ""
	g.menu, g.rematch = g.played(), true
}

func (g *Game) newID() string {
	g.matches++
	return g.config.Run + "-" + strconv.Itoa(g.matches)
}

func (g *Game) resume(r Record) {
	if g.parked.ID == r.ID {
		g.parked = Record{}
	}
	g.unsaved, r.Left = r.Left, false
	g.begin(r)
	if g.position().Outcome() != board.Playing {
		g.fall() // show the last disc again
		return
	}
	g.startTurn()
}

// startRound starts a round, after opening moves that have been checked.
func (g *Game) startRound(opening string) {
	g.record.Game, _ = board.ParseGame(g.record.Match.Rules(), g.record.Match.Starter(), opening)
	g.record.Counted = false
	if g.record.Match.Played() == 0 {
		g.record.Opening = g.position().Ply()
	}
	g.unsaved = true
	g.startTurn()
}

// kept returns the match to save: with the next, empty round instead of one that is counted.
func (g *Game) kept() Record {
	r := g.record
	if r.Counted {
		r.Game, r.Counted = r.Match.NewGame(), false
	}
	return r
}

func (g *Game) save() {
	if g.puzzle != nil {
		g.unsaved = false // puzzles are not saved
	}
	if g.parked.ID != "" && g.record.ID != g.parked.ID { // which stays saved until this match has a disc
		if g.unsaved = g.unsaved && g.record.Begun(); g.unsaved {
			g.emit(Finish{g.parked})
			g.parked = Record{}
		}
	}
	if g.unsaved {
		g.unsaved = false
		g.saves++
		if g.config.Keeps {
			g.saving = g.saves
		}
		g.emit(Save{g.saves, g.kept()})
	}
}

func (g *Game) saved(s Saved) {
	if s.ID >= g.saving {
		g.saving, g.behind = 0, s.Failed
	}
}

// finish asks for the match to be entered into the history, and makes the seats open.
func (g *Game) finish(r Record) {
	g.emptySeats()
	g.playing, g.unsaved = false, false
	if r.Begun() {
		g.last = r
	}
	g.emit(Finish{r})
}

// leaveMatch leaves the match under way for the menu, which offers to resume it until another match
// has its first disc. A puzzle, and a match without a menu, without discs or with a taken seat, is over instead.
func (g *Game) leaveMatch() {
	taken := g.seats[0].State != Open || g.seats[1].State != Open
	if r := g.kept(); g.playing && g.config.Forever && r.Begun() && !taken {
		r.Left, g.unsaved = true, true
		g.parked = r
	} else {
		g.abandon()
	}
	g.endMatch()
}

// park makes the menu offer a match.
func (g *Game) park(r Record) {
	g.parked, g.record = r, r
	if g.last.ID == "" || g.last.ID == r.ID || r.Match.Played() > 0 { // otherwise there is more to see in the last one
		g.last = r
	}
	if g.menu.second = false; g.puzzle == nil { // after a puzzle, the menu stands on puzzles
		g.menu.entry = entryResume
	}
}

func (g *Game) abandon() {
	switch {
	case !g.playing:
	case g.parked.ID != "" && !g.record.Begun(): // the saved match is still the parked one
		g.emptySeats()
	default:
		g.finish(g.kept())
	}
}

// endMatch shows the menu or, without one, ends the program.
func (g *Game) endMatch() {
	g.playing = false
	if g.parked.ID != "" {
		g.park(g.parked)
	}
	if g.puzzle != nil {
		g.puzzle, g.menu.second = nil, false
	}
	if !g.config.Forever {
		g.open(new(over))
		return
	}
	g.emit(Rest{})
	g.open(&g.menu)
	g.touched = g.now
}

func (g *Game) configure(ev Configure) error {
	if err := ev.Setup.Check(); err != nil {
		return err
	}
	if g.config.First != ev.Setup.First {
		g.menu.items[entryFirst] = int(ev.Setup.First)
	}
	if g.config.Setup != ev.Setup {
		g.config.Setup, g.rematch = ev.Setup, false
	}
	if ev.MenuLevel > 0 && g.config.MenuLevel != ev.MenuLevel {
		g.menu.items[entryComputer] = int(ev.MenuLevel - match.Novice)
	}
	g.config.Idle, g.config.MenuLevel = ev.Idle, ev.MenuLevel
	return nil
}

// startRemote starts a match that a client asks for. See [Start] for which match it may replace.
func (g *Game) startRemote(ev Start) error {
	if _, untouched := g.screen.(*dark); g.playing && !untouched && !ev.Force {
		return ErrUnderWay
	}
	if err := ev.Setup.Check(); err != nil {
		return err
	}
	if seat := ev.Take.Player; seat != board.Empty && seat == ev.Setup.Computer {
		return ErrComputers
	}
	g.abandon()
	if ev.Seed != 0 {
		g.chance.Seed(ev.Seed, 0)
	}
	g.touched = g.now
	g.tap = tap{} // the first drop of this match counts
	g.notice = Notice{}
	g.startMatch(ev.Setup)
	if ev.Take.Player == board.Empty {
		return nil
	}
	return g.take(ev.Take)
}

func (g *Game) endRemote() error {
	if !g.playing {
		return ErrNoMatch
	}
	g.abandon()
	g.endMatch()
	return nil
}
