package game

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// Phase says what the screen is showing.
type Phase uint8

const (
	Attract Phase = iota // a demo plays while the machine is idle
	Menu
	Aim      // a person chooses a column
	Thinking // the computer chooses a column
	Fall     // a disc is in the air
	Cheer    // the winning lines blink
	Score    // the winner's points are shown
	Victory  // the screen fills with the colour of the match's winner
	Drawn    // the round is a draw
	Clear    // the screen is dark for 250 ms after a round
	Paused
	Hinting   // the score of each column is shown
	Reading   // somebody goes over the board, cell by cell
	Looking   // somebody steps through an earlier match
	Making    // a puzzle is being made
	Dark      // the screen is dark: nobody did anything for the idle time
	Admitting // a browser asks to be admitted
	Over      // the program is ending
)

var phaseNames = [...]string{
	Attract: "attract", Menu: "menu", Aim: "aim", Thinking: "thinking", Fall: "fall", Cheer: "cheer",
	Score: "score", Victory: "victory", Drawn: "draw", Clear: "clear", Paused: "pause", Hinting: "hint",
	Reading: "read", Looking: "look", Making: "puzzle", Dark: "dark", Admitting: "admit", Over: "over",
}

func (p Phase) String() string { return phaseNames[p] }

// MarshalText returns the phase's name.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText is the inverse of MarshalText.
func (p *Phase) UnmarshalText(name []byte) error {
	i := slices.Index(phaseNames[:], string(name))
	if i < 0 {
		return fmt.Errorf("unknown phase %q", name)
	}
	*p = Phase(i)
	return nil
}

// InMatch reports whether the screen shows a match.
func (p Phase) InMatch() bool {
	switch p {
	case Attract, Menu, Making, Dark, Admitting, Over:
		return false
	}
	return true
}

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
	MenuLevel levels.Level  // the computer's level in the menu, as configured; 0: LastLevel
	LastFirst bool          // the rounds of the menu's matches start as in the last match, because First is not configured
	LastLevel levels.Level  // the computer's level in the last match against it; 0 if there was none
	Parked    Record        // a saved match that the menu offers to resume; its ID is empty if there is none
	Keeps     bool          // each [Save] is answered by [Saved], and the next turn waits for the answer
}

// State is the game at one moment. It is a value: [State.Step] returns the next one.
type State struct {
	config Config
	chance rand.PCG

	phase   Phase
	since   time.Time // when the phase began
	touched time.Time // when somebody last did something

	menu     menu
	parked   Record  // begun, but left for the menu, which offers to resume it; its ID is empty if there is none
	rematch  bool    // the menu offers a rematch with the last match's setup
	seats    [2]seat // of the match under way, red's first
	failed   string  // why a program has given up its seat, in the position failedAt
	failedAt board.Game
	matches  int // how many matches have started in this run of the program
	record   Record
	unsaved  bool // the match has changed since the last save
	saves    int  // the number of saves so far
	saving   int  // ID of the [Save] that has not been answered; 0: none
	behind   bool // a disc that has landed is not on the disk yet

	cursor    int
	blinks    time.Time // when the cursor began to blink, if it shares the top row
	windows   windows
	queue     queue
	held      Key       // left, right or, while looking back or reading, up, if pressed in this phase or turn; only this key repeats
	moved     time.Time // when the held key last did something
	afterFall any       // Pause or Hint, if one was asked for while a disc fell
	refused   refusal
	notice    Notice

	choice  choice // the icon that is selected on the pause screen
	voices  int    // how many programs say aloud what is shown
	reading reading
	resumes Phase // the phase that follows Dark

	asked     int       // ID of the [Question] that has not been answered; 0: none
	asker     Source    // who asked for the last hint
	hintEnded time.Time // when the last hint ended by itself
	lastID    int
	advice    Advice
	thought   thought

	demo      demo
	last      Record // the last match that ended, or was left with a round that had ended
	look      look
	solving   solving
	admission admission
}

// entry is a choice on the menu's first page.
type entry uint8

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

// choice is an icon on the pause screen.
type choice uint8

const (
	choiceResume choice = iota
	choiceUndo
	choiceHint
	choiceEnd
	choiceRead
	choices
)

// The parts of the state that one screen or one turn needs.
type (
	// windows holds when each source last pressed a drop key. Each panel has a place of its own. All
	// others share eight places, which those that pressed last occupy.
	windows struct {
		local  [4]window
		remote [8]window
	}

	window struct {
		from  Source
		began time.Time
	}

	// menu is the page that is shown, and the choice on every page.
	menu struct {
		entry  entry
		second bool           // the entry's second page is shown
		items  [entries]uint8 // the choice on each second page
		first  board.First    // who starts the rounds of the next match; a resumed match does not change it
	}

	seat struct {
		Seat
		holder  Source    // the zero value if it is open
		streams int       // the number of streams of events that the holder has open
		left    time.Time // when the holder took the seat or last closed a stream
		final   bool      // see [Take]
	}

	// verdicts has those on a round's discs, by ply. It never changes. It is not a part of the state
	// itself, which would be three times as large, and is copied at every event.
	verdicts [board.MaxCells]Verdict

	// queue holds the inputs that came before their sender's turn. When the turn begins, they take
	// effect in order. A column ends the turn, so the inputs after it wait for a later turn.
	queue struct {
		inputs [64]ahead
		n      int
	}

	ahead struct {
		key  Key  // Left, Right or, for a column, 0
		col  int8 // from 0
		from Source
	}

	// refusal is a blink that signals a refused key.
	refusal struct {
		since  time.Time
		blinks int
		shown  bool // false once the cursor or the selected icon has moved
	}

	// thought is the column that the computer has chosen, in its turn or in the demo.
	thought struct {
		done  bool
		col   int
		moved time.Time // when the column was chosen, or when the cursor last stepped towards it
	}

	// demo is a game that the computer plays against itself while nobody plays.
	demo struct {
		game  board.Game
		moved time.Time // when the last disc was dropped, or the round began

		standing *Standing // of the tournament whose game is shown; nil if the computer plays
		before   *Standing // as shown: until the game is over without its result, then without its players; stays for the next game
		shows    board.Game
		bars     time.Time // since when the standing is shown; zero: not yet
	}

	// look is a match that somebody looks back at, disc by disc.
	look struct {
		record Record
		alone  bool // the program shows nothing else
		amid   bool // the match is under way: a round has just ended
		round  int  // from 0
		rounds int
		match  board.Match // before that round
		whole  Record      // at the end of that round, counted if the round is over

		at    int       // how many of the round's discs are shown
		moved time.Time // when the last disc on the board was dropped; zero: nothing falls
		plays bool      // the next disc drops by itself

		opened bool // nothing but the end, where it begins, was shown yet

		told  int  // how many variations of the last of them were shown: its Why, then its Better
		aside bool // the latest of those is shown now
		step  int  // how many of its discs are; 0 without one

		verdicts *verdicts // nil: none is known
		reviewed bool      // no more verdicts will come
	}

	reading struct{ col, row int } // what is being read; row is as in [View]

	// solving is a series of puzzles. A puzzle is played like a match of one round against the
	// computer, but is not saved.
	solving struct {
		Puzzle
		on      bool // the round is a puzzle
		length  int  // the value of Discs of the puzzles to ask for
		inARow  int  // puzzles solved in a row without a wrong column
		slipped bool // a wrong column was played in this puzzle
	}

	// admission is the last [Admission], and what decides whether the next one is allowed.
	admission struct {
		Admission
		shown  int       // the digit on the LEDs
		before Phase     // the phase to return to
		failed int       // requests in a row that were not admitted
		paused time.Time // until then, new requests are refused
	}
)

// Phase returns the current phase.
func (s State) Phase() Phase { return s.phase }

// Kept reports whether there is a match to resume: the one under way, if it has a disc, or one that
// waits in the menu.
func (s State) Kept() bool { return s.parked.ID != "" || s.underWay() && s.record.Begun() }

func (s *State) position() board.Position { return s.record.Game.Position() }

func (s *State) toMove() board.Disc { return s.position().Turn() }

// underWay reports whether there is a match without a winner so far.
func (s *State) underWay() bool {
	phase := s.phase
	if phase == Admitting {
		phase = s.admission.before
	}
	if phase == Dark {
		phase = s.resumes
	}
	return phase.InMatch() && (phase != Looking || s.look.amid) && !s.solving.on && s.record.Match.Winner() == board.Empty
}

// sharedTop reports whether the cursor shares the top row with the discs. The cursor then blinks,
// skips full columns and does not wrap.
func (s *State) sharedTop() bool { return s.record.Match.Rules().Rows == board.MaxSide }

// step is one call of [State.StepFrom].
type step struct {
	State
	now     time.Time
	from    Source
	before  Notice   // the notice that the event's key replaces
	tooSoon bool     // the source's last drop key was less than dropWindow before the event
	effects []Effect // so far
}

// enter starts a phase. The question of the last phase is cancelled; a held key stops repeating.
func (t *step) enter(p Phase) {
	t.forget()
	t.phase, t.since, t.blinks = p, t.now, t.now
	t.held = 0
	t.refused = refusal{}
}

// question returns the ID of a new [Question], which becomes the current one.
func (t *step) question() int {
	t.lastID++
	t.asked = t.lastID
	return t.asked
}

// awaits reports whether id is the ID of the current question, not of one that was cancelled.
func (t *step) awaits(id int) bool { return t.asked != 0 && id == t.asked }

// answered is like awaits, but also ends the question.
func (t *step) answered(id int) bool {
	if !t.awaits(id) {
		return false
	}
	t.asked = 0
	return true
}

func (t *step) forget() {
	if t.asked != 0 {
		t.effects = append(t.effects, Forget{t.asked})
		t.asked = 0
	}
}

func (t *step) refuse(err error) {
	if err != nil {
		t.effects = append(t.effects, Refused{err})
	}
}

func (t *step) note(n Notice) {
	if last := t.before; last.Kind == n.Kind && last.Column == n.Column {
		n.Again = last.Again + 1
	}
	t.notice = n
}

// noteEdge says that a list or a match goes no further, to people who do not see it. A held key does not
// repeat it.
func (t *step) noteEdge(dir int, hold bool) {
	switch {
	case hold:
	case dir < 0:
		t.note(Notice{Kind: NoticeFirst})
	default:
		t.note(Notice{Kind: NoticeLast})
	}
}

// blink shows that a key was refused: the cursor or the icon blinks once, or twice if the notice
// names a column. A blink is not restarted before its end: repeated presses would make LEDs flash.
func (t *step) blink(n Notice) {
	t.note(n)
	if t.refused.over(t.now) {
		t.refused = refusal{t.now, 1, true}
		if n.NamesColumn() {
			t.refused.blinks = 2
		}
	}
}

func (r refusal) over(now time.Time) bool { return now.Sub(r.since) >= time.Duration(r.blinks)*blink }

func (r refusal) shows(now time.Time) bool { return r.shown && !r.over(now) }

func (r refusal) dark(now time.Time) bool { return r.shows(now) && blinkDark(r.since, now) }

// NoticeKind is the reason that a [Notice] gives, as a word that programs can compare.
type NoticeKind string

const (
	NoticeNone      NoticeKind = ""
	NoticeFull      NoticeKind = "full"
	NoticeNoColumn  NoticeKind = "no-column"
	NoticeNoUndo    NoticeKind = "no-undo"
	NoticeNoHint    NoticeKind = "no-hint"
	NoticeClosed    NoticeKind = "hint-closed" // the key only closed a hint
	NoticeThinking  NoticeKind = "thinking"
	NoticeWrong     NoticeKind = "wrong"
	NoticeNoMatch   NoticeKind = "no-match"
	NoticeTaken     NoticeKind = "taken"
	NoticeTakenDisc NoticeKind = "taken-disc"
	NoticeFinal     NoticeKind = "final"
	NoticeGivesUp   NoticeKind = "gives-up"
	NoticeFirst     NoticeKind = "first" // nothing comes before what is chosen or shown
	NoticeLast      NoticeKind = "last"
)

// Notice says why a key was refused. It lasts until the next key press.
type Notice struct {
	Kind   NoticeKind
	Column int // from 0, if the notice names one
	Again  int // how many key presses before this one were refused for the same reason, in a row
}

// NamesColumn reports whether the notice is about a column.
func (n Notice) NamesColumn() bool {
	return n.Kind == NoticeFull || n.Kind == NoticeNoColumn || n.Kind == NoticeWrong
}

// How long things take. Because faster flashes can trigger seizures, nothing blinks faster than
// three times a second. A blink is dark for its first half and lit for its second.
const (
	blinkHalf = 250 * time.Millisecond
	blink     = 2 * blinkHalf

	fallRow     = 30 * time.Millisecond  // a disc falls by one row
	fallRowFull = 100 * time.Millisecond // a disc falls by one row on a board with 8 rows
	demoRow     = 100 * time.Millisecond

	// A fall with its rest takes at least this long, so that an accidental second tap does not skip
	// the cheer.
	minFallTime = dropWindow

	// A turn begins once the last disc is saved, so that a power cut loses no disc that people have
	// seen land. If the disk is slow, the game waits this long at most.
	saveTime = time.Second

	// Keys that are mashed do not end the pictures of a round's end: a key does so only if nobody has
	// pressed one for keysRest, and once the line or the draw has been shown for endShown.
	keysRest = 500 * time.Millisecond
	endShown = time.Second

	cheerTime   = 3 * blink
	scoreTime   = 1500 * time.Millisecond
	victoryTime = 1500 * time.Millisecond
	drawTime    = 1500 * time.Millisecond
	clearTime   = 250 * time.Millisecond
	hintTime    = 5 * time.Second
	lateKey     = time.Second      // how long after a hint has ended a key still closes it
	heardTime   = 20 * time.Second // a hint, or a disc with a mark, while a voice says why

	holdEvery  = 150 * time.Millisecond // the shortest time between two repeats of a held key
	leaveAfter = time.Second            // how long up is held to leave a look back
	menuIdle   = 60 * time.Second

	minThinkTime = 400 * time.Millisecond // the computer's shortest turn, so that a person can follow
	walkStep     = 120 * time.Millisecond // the computer's cursor moves by one column
	breatheAfter = time.Second            // how long a turn lasts before the cursor breathes
	breatheHalf  = 500 * time.Millisecond
	swapEvery    = time.Second

	demoPace = 1500 * time.Millisecond // from one disc of the demo to the next
	demoRest = 3 * time.Second         // after each round of the demo
	barsTime = time.Minute             // how long the standing of a tournament waits for the next game

	cellsAfter = time.Second // how long a hint is shown before the cells of its reason light up

	lookEvery = 700 * time.Millisecond // from one disc to the next of a match that is looked back at
	lookAside = 8 * time.Second        // the discs of a variation take no longer, however many there are
	lookMark  = 5 * time.Second        // from a disc with a mark to the next one: people read why
	lookEnd   = 3 * time.Second        // how long the end of a round or of a variation is shown
)

// dropWindow is how long after a drop key further drop keys from the same source drop nothing, so
// that an accidental second tap does not drop the other player's disc. It does not matter what the
// first key did, unless it was refused. Every drop key restarts this time, so continuous tapping
// drops nothing.
const dropWindow = 250 * time.Millisecond

// blinkDark reports whether something that started to blink at since is dark now.
func blinkDark(since, now time.Time) bool { return now.Sub(since)/blinkHalf%2 == 0 }

// nextEdge returns the first moment after now that is a whole number of periods after start.
func nextEdge(start time.Time, period time.Duration, now time.Time) time.Time {
	return start.Add((now.Sub(start)/period + 1) * period)
}
