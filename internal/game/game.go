// Package game is the whole behaviour of c4hat as a pure state machine. Its input is events and the
// time; its output is a picture and effects.
//
//	attract → menu → aim → fall → (cheer → score → [victory] → clear) → aim …
//
// The package reads no clock, starts no goroutine and touches no device, so a test can check every
// moment of a game. [Game.StepFrom] handles an event, [Game.View] returns what to show, and [Game.Next]
// says when that will change by itself, so that the caller can sleep until then.
//
// A [screen] is what the LEDs show, and what keys do there. Each has a file: demo, menu, turn,
// roundend, pause, hint, reading, look, puzzle, admission and dark. [Game] keeps what outlives a screen.
package game

import (
	"cmp"
	"math/rand/v2"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/match"
)

// Config is fixed while the program runs, except for what [Configure] changes.
type Config struct {
	Setup                   // the default for matches
	Idle      time.Duration // the screen goes dark if nobody does anything for this time; 0: never
	Seed      uint64        // seeds everything that is random
	Attract   bool          // start with the demo instead of a match
	Menu      bool          // start with the menu instead of a match
	Waits     bool          // hints and the ends of rounds are shown until a key is pressed
	Forever   bool          // after a match return to the menu instead of ending
	Run       string        // prefix of the matches' IDs, unique to this run of the program
	Last      Record        // the last match that ended, to look back at; its ID is empty if there is none
	MenuLevel match.Level   // the computer's level in the menu, as configured; 0: LastLevel
	LastFirst bool          // the rounds of the menu's matches start as in the last match, because First is not configured
	LastLevel match.Level   // the computer's level in the last match against it; 0 if there was none
	Parked    Record        // a saved match that the menu offers to resume; its ID is empty if there is none
	Keeps     bool          // each [Save] is answered by [Saved], and the next turn waits for the answer
}

// Game is a running game. It is not safe for concurrent use.
type Game struct {
	config Config
	chance rand.PCG

	screen  screen
	since   time.Time // when the screen opened
	touched time.Time // when somebody last did something
	voices  int       // how many programs say aloud what is shown

	// What is being handled or shown.
	now     time.Time
	from    Source
	before  Notice // the notice that the key replaces
	effects []Effect
	picture picture

	notice  Notice
	refused refusal
	held    Key       // pressed on this screen or in this turn; only this key repeats
	moved   time.Time // when the held key last did something
	cursor  int
	blinks  time.Time // when the cursor began to blink, if it shares the top row
	tap     tap

	menu    menu
	rematch bool   // the menu offers a rematch with the last match's setup
	parked  Record // begun, but left for the menu, which offers to resume it; its ID is empty if there is none

	record   Record   // the match under way or the last one
	playing  bool     // the match is under way
	puzzle   *puzzles // nil: the match is no puzzle
	matches  int      // how many matches have started in this run of the program
	seats    [2]seat  // of the match under way, red's first
	failed   string   // why a program has given up its seat, in the position failedAt
	failedAt board.Game

	unsaved bool // the match has changed since the last save
	saves   int  // the number of saves so far
	saving  int  // ID of the [Save] that has not been answered; 0: none
	behind  bool // a disc that has landed is not on the disk yet

	asked  int // ID of the [Question] that has not been answered; 0: none
	lastID int

	last      Record // the last match that ended, or was left with a round that had ended
	look      *look  // the last look back, which keeps its verdicts
	admission admissions
}

// New starts a game with a match, the menu or the demo, as configured. The errors are those of
// [Setup.Check].
func New(c Config, now time.Time) (*Game, error) { return Resume(c, Record{}, now) }

// Resume starts a game with a saved match. If the record's ID is empty, there is no match, and
// Resume is like [New]. If the last round is over, its last disc falls again. A match that its players
// left stays in the menu of a game that starts with the demo.
func Resume(c Config, r Record, now time.Time) (*Game, error) {
	if r.Left && c.Attract {
		c.Parked, r = r, Record{}
	}
	g, err := begin(c, r, now)
	switch {
	case err != nil:
	case r.ID != "":
		g.resume(r)
	case c.Attract:
		g.openDemo()
	case c.Menu:
		g.open(&g.menu)
	default:
		g.startMatch(c.Setup)
	}
	return g, err
}

// LookBack starts a game that only shows a match, from its first disc.
func LookBack(r Record, now time.Time) *Game {
	g := &Game{now: now, touched: now}
	l := newLook(r)
	l.plays, l.dropped = true, now
	g.open(l)
	return g
}

// NewPuzzles starts a game of puzzles that the player wins with a number of discs, 1 to 5.
func NewPuzzles(c Config, discs int, now time.Time) (*Game, error) {
	g, err := begin(c, Record{}, now)
	if err == nil {
		g.startPuzzles(discs)
	}
	return g, err
}

func begin(c Config, resumes Record, now time.Time) (*Game, error) {
	g := &Game{
		config: c, last: c.Last, menu: newMenu(c, cmp.Or(resumes, c.Parked, c.Last)), chance: *rand.NewPCG(c.Seed, 0),
		now: now, since: now, touched: now,
	}
	if c.Parked.Begun() {
		g.park(c.Parked)
	}
	return g, c.Check()
}

// Step is like [Game.StepFrom], for a game with a single source of events.
func (g *Game) Step(now time.Time, ev Event) []Effect { return g.StepFrom(now, ev, Source{}) }

// StepFrom handles an event from a source. It first makes the changes that time alone has caused, so
// that a press just after a disc has landed is a press in the next turn.
func (g *Game) StepFrom(now time.Time, ev Event, from Source) []Effect {
	g.now, g.from, g.before, g.effects = now, from, Notice{}, nil
	g.pass()
	g.handle(ev)
	g.pass()
	if g.asked == 0 {
		g.screen.ask(g)
	}
	g.save()
	return g.effects
}

func (g *Game) handle(ev Event) {
	if g.stale(ev) {
		g.refuse(ErrNoSeat)
		return
	}
	switch ev := ev.(type) {
	case Press:
		g.press(ev)
	case Column, Command, Select, Choose:
		g.input(ev)
	case Disc:
		g.refuse(g.disc(ev))
	case Point:
		g.point(ev.Col)
	case Start:
		g.refuse(g.startRemote(ev))
	case End:
		g.refuse(g.endRemote())
	case Take:
		g.refuse(g.take(ev))
	case Leave, Present, Absent:
		g.refuse(g.ofSeat(ev))
	case Voice:
		if g.voices++; ev.Gone {
			g.voices -= 2
		}
	case Admit:
		g.refuse(g.admit(ev))
	case Withdraw:
		g.withdraw(ev.ID)
	case Configure:
		g.refuse(g.configure(ev))
	case Saved:
		g.saved(ev)
	case Answered:
		if g.asked != 0 && ev.ID == g.asked { // it was not cancelled
			if !ev.More {
				g.asked = 0
			}
			g.screen.answer(g, ev)
		}
	}
}

// pass makes all changes that time alone has caused by now. One change can cause the next at once:
// if a turn starts after the idle time, the screen goes dark.
func (g *Game) pass() {
	g.openSeats()
	for {
		next, change := g.screen.next(g)
		switch idle := g.idle(next); {
		case !idle.IsZero() && !g.now.Before(idle):
			g.goDark()
		case !next.IsZero() && !g.now.Before(next):
			change(g)
		default:
			return
		}
	}
}

// press handles a key of the joystick. Left and right repeat while they are held, if they were pressed
// on this screen or in this turn. Up, held, leaves the screens that [Game.hold] it.
func (g *Game) press(p Press) {
	switch p.Action {
	case Pressed:
		g.input(p.Key)
	case Held:
		g.touched = g.now
		switch since := g.now.Sub(g.moved); {
		case p.Key != g.held || p.Key == 0:
		case p.Key == Up && since >= leaveAfter:
			g.input(Back)
		case p.Key != Up && since >= holdEvery:
			in := g.newInput(p.Key)
			in.held = true
			g.screen.press(g, in)
		}
	case Released:
		g.held = 0
	}
}

// input handles any input but a key that is held.
func (g *Game) input(key any) {
	in := g.newInput(key)
	g.touched = g.now
	g.before, g.notice = g.notice, Notice{}
	screen := g.screen
	screen.press(g, in)
	if _, chooses := key.(Choose); (in.drops || chooses) && g.screen != screen {
		g.tap = tap{g.from, g.now}
	}
}

// ask asks a question, which becomes the current one.
func (g *Game) ask(q Question) {
	g.lastID++
	g.asked, q.ID = g.lastID, g.lastID
	g.emit(q)
}

// forget cancels the current question.
func (g *Game) forget() {
	if g.asked != 0 {
		g.emit(Forget{g.asked})
		g.asked = 0
	}
}

func (g *Game) emit(e Effect) { g.effects = append(g.effects, e) }

func (g *Game) refuse(err error) {
	if err != nil {
		g.emit(Refused{err})
	}
}

// Phase returns the current phase.
func (g *Game) Phase() Phase { return g.View(g.now).Phase }

// Kept reports whether there is a match to resume: the one under way, if it has a disc, or one that
// waits in the menu.
func (g *Game) Kept() bool { return g.parked.ID != "" || g.playing && g.record.Begun() }

// View returns the view at a moment, which must not be before the last step.
func (g *Game) View(now time.Time) View {
	g.show(now)
	return g.picture.View
}

// Next returns the first moment after now at which the view changes by itself; false
// means never.
func (g *Game) Next(now time.Time) (time.Time, bool) {
	g.show(now)
	p := &g.picture
	next, _ := g.screen.next(g)
	p.changes(next)
	p.changes(g.idle(next))
	for _, seat := range g.seats {
		p.changes(seat.opens)
	}
	return p.until, !p.until.IsZero()
}

func (g *Game) show(now time.Time) {
	g.now = now
	g.picture = picture{now: now, View: View{
		UnderWay:  g.playing,
		Record:    g.record,
		Cursor:    g.cursor,
		Notice:    g.notice,
		Admission: g.admission.Admission,
		Seats:     [2]Seat{g.seats[0].Seat, g.seats[1].Seat},
		Unsaved:   g.behind,
		Parked:    g.parked.ID != "",
	}}
	p := &g.picture
	if g.config.Forever {
		p.View.Next = g.againstComputer()
	}
	if g.failedAt == g.record.Game {
		p.Failed = g.failed
	}
	if g.puzzle != nil {
		p.Solving = g.puzzle.view(g)
	}
	g.screen.show(g, p)
}

func (g *Game) position() board.Position { return g.record.Game.Position() }

func (g *Game) toMove() board.Disc { return g.position().Turn() }

// Timing of keys.
const (
	holdEvery  = 150 * time.Millisecond // the shortest time between two repeats of a held key
	leaveAfter = time.Second            // how long up is held to leave a look back
)
