package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
)

// View is what is shown at one moment: the picture on the LEDs, and what panels with text show in
// addition. Views are comparable. Its JSON, as the socket sends it, adds a few values that follow
// from these, for clients that do not know the rules; package socket adds them.
type View struct {
	Phase     Phase      `json:"phase"`
	UnderWay  bool       `json:"under_way"` // there is a match without a winner so far, even if the screen is dark
	Record    `json:"-"` // the current match or the last one; its ID is empty before the first match
	Cursor    int        `json:"-"`             // the cursor's column from 0, while a player is choosing one or somebody reads the board
	Row       int        `json:"row,omitempty"` // of the cell that is being read, from 1; 0: the whole column is read
	Choices   Choices    `json:"-"`             // of the menu or the pause screen
	Advice    Advice     `json:"-"`             // while a hint is shown
	Notice    Notice     `json:"-"`             // why a key was refused
	Admission Admission  `json:"admission,omitzero"`
	Look      Look       `json:"look,omitzero"`      // while somebody looks back at a match
	Solving   Solving    `json:"puzzle,omitzero"`    // while the match is a puzzle
	Standing  *Standing  `json:"standing,omitempty"` // while the demo shows a game of a tournament; it never changes
	Seats     [2]Seat    `json:"-"`                  // of the match under way, red's first
	Failed    string     `json:"failed,omitempty"`   // why a program has given up its seat, until the next disc
	Unsaved   bool       `json:"unsaved,omitempty"`  // a disc that has landed is not on the disk: a power cut would lose it
	Parked    bool       `json:"waits,omitempty"`    // the menu offers to resume a match
	Next      Setup      `json:"-"`                  // what a new match against the computer has unless somebody chooses otherwise; no points without a menu
	Fresh     bool       `json:"-"`                  // the picture waits for a key, but not for one that comes so soon
	Frame     Frame      `json:"leds"`

	// Number numbers the views of a session: each view has a higher number than the one before it.
	// The game leaves it 0.
	Number uint64 `json:"number"`

	// Lost says that the service cannot be reached at the moment, so that the view may be out of
	// date. The game leaves it false.
	Lost bool `json:"-"`
}

// Replaces reports whether the match has no disc yet, and its first one gives up a match that waits.
func (v *View) Replaces() bool { return v.Parked && v.UnderWay && !v.Begun() }

// Unattended reports whether the computer or programs play both sides.
func (v *View) Unattended() bool {
	for i, seat := range v.Seats {
		if seat.Holder == "" && v.Computer != board.Red+board.Disc(i) {
			return false
		}
	}
	return true
}

// Alone reports whether one person plays, against the computer.
func (v *View) Alone() bool {
	return v.Computer != board.Empty && v.Seats[v.Computer.Other()-board.Red].Holder == ""
}

// TakenTurn reports whether the seat of the player to move is taken.
func (v *View) TakenTurn() bool {
	return v.Seats[v.Game.Position().Turn()-board.Red].State != Open
}

// Lit returns the picture of the board alone: an empty one if no match is under way.
func (v *View) Lit() (f Frame) {
	g, _ := board.NewGame(board.Standard, board.Red) // the rules are valid
	if v.UnderWay {
		g = v.Game
	}
	drawDiscs(&f, &g)
	return f
}

// Look describes what is shown while somebody looks back at a match.
type Look struct {
	Round  int     `json:"round"` // from 1
	Rounds int     `json:"rounds"`
	Discs  int     `json:"discs"` // in the whole round; the view's Game has only those shown
	Last   Verdict `json:"last"`  // on the last disc shown
	Next   Verdict `json:"next"`
	Plays  bool    `json:"plays"`          // discs drop by themselves
	Exact  bool    `json:"exact"`          // verdicts are available on this board
	Lost   int     `json:"lost,omitempty"` // the disc, from 1, that lost the round; 0 if none is known
	Only   bool    `json:"-"`              // nothing else is shown, so up and down do not leave

	Variation Variation `json:"variation,omitempty"` // of the last disc, which is shown; empty: none
	Step      int       `json:"step,omitempty"`      // how many of its discs are on the board
	Told      bool      `json:"told,omitempty"`      // its variations were shown: the next disc comes next
}

// AllShown reports whether a look back shows all discs of its last round, so that nothing follows.
func (v *View) AllShown() bool {
	return v.Look.Round == v.Look.Rounds && v.Game.Position().Ply() == v.Look.Discs
}

// Why returns the variation that is shown, and its reason.
func (l *Look) Why() Why {
	switch l.Variation {
	case Refutation:
		return l.Last.Why
	case Improvement:
		return l.Last.Better
	}
	return Why{}
}

// asideEvery returns the time from one disc of a variation to the next. Of 39 discs, each falls to its end.
func asideEvery(discs int) time.Duration { return min(lookEvery, lookAside/time.Duration(discs)) }

// Long reports whether a variation has too many discs to name each.
func (l *Look) Long() bool { return asideEvery(max(1, len(l.Why().Line))) < lookEvery }

// Hurries reports whether the discs of a long variation drop by themselves.
func (l *Look) Hurries() bool {
	discs := len(l.Why().Line)
	return l.Plays && l.Step > 0 && l.Step < discs && l.Long()
}

// Board returns the game on the board: Game or, while a variation is shown, that.
func (v *View) Board() board.Game {
	g := v.Game
	if v.Look.Variation == Improvement {
		_ = g.Undo() // its last disc has a mark
	}
	return v.Look.Why().Play(g, v.Look.Step)
}

// Solving is the player's progress with puzzles.
type Solving struct {
	On     bool `json:"on"`       // the match is a puzzle
	Discs  int  `json:"discs"`    // that the player still needs to win
	InARow int  `json:"in_a_row"` // puzzles solved without a wrong column
}

// View returns the view at a moment. It allocates nothing.
func (s State) View(now time.Time) View {
	v := View{
		Phase:     s.phase,
		UnderWay:  s.underWay(),
		Record:    s.record,
		Cursor:    s.cursor,
		Notice:    s.notice,
		Admission: s.admission.Admission,
		Seats:     [2]Seat{s.seats[0].Seat, s.seats[1].Seat},
		Unsaved:   s.behind,
		Parked:    s.parked.ID != "",
		Fresh:     s.config.Waits && s.fresh(now),
	}
	if s.config.Forever {
		v.Next = s.next()
	}
	if s.failedAt == s.record.Game {
		v.Failed = s.failed
	}
	switch s.phase {
	case Attract:
		if s.demo.standing != nil {
			v.Standing = s.demo.before
		}
	case Menu:
		v.Choices = s.menuChoices()
	case Paused:
		v.Choices.set("pause", choiceNames[:s.pauseEntries()], int(s.choice))
	case Hinting:
		v.Advice = s.advice
	case Reading:
		v.Cursor, v.Row = s.reading.col, s.reading.row
	case Looking:
		s.look.view(&v)
	}
	if s.solving.on && s.phase != Making {
		discs := s.solving.Discs - (s.position().Ply()-s.record.Opening+1)/2
		v.Solving = Solving{On: true, Discs: discs, InARow: s.solving.inARow}
	}
	s.draw(&v.Frame, now)
	return v
}

// view fills in what a view shows while somebody looks back.
func (l *look) view(v *View) {
	v.Record, v.Cursor = l.whole, 0
	if l.at < l.discs() {
		v.Record.Match, v.Record.Game, v.Record.Counted = l.match, l.shown(), false
		v.Cursor = l.whole.Game.Move(l.at)
	}
	v.Look = Look{
		Round: l.round + 1, Rounds: l.rounds, Discs: l.discs(),
		Last: l.verdict(l.at - 1), Next: l.verdict(l.at), Plays: l.plays, Exact: l.exact(), Step: l.step, Lost: l.lost(), Only: l.alone, Told: l.told > 1,
	}
	v.Look.Variation, _, _ = l.variation()
}

// fresh reports whether the end of a round has just appeared, so that no key ends the picture.
func (s *State) fresh(now time.Time) bool {
	return (s.phase == Cheer || s.phase == Drawn) && now.Before(s.since.Add(endShown))
}

// rests reports whether the phase lasts until a key is pressed or the screen goes dark.
func (s *State) rests() bool {
	switch s.phase {
	case Aim, Paused, Reading:
		return true
	case Cheer:
		return s.config.Waits || s.solving.on && s.config.Forever
	case Hinting, Drawn:
		return s.config.Waits
	case Looking:
		return !s.look.plays
	}
	return false
}

// dark returns when the screen goes dark if no key is pressed.
func (s *State) dark() (time.Time, bool) {
	return s.touched.Add(s.config.Idle), s.config.Idle > 0 && (s.rests() || s.phase == Attract)
}

// due returns when the phase next changes or ends by itself.
func (s *State) due() (time.Time, bool) {
	if s.rests() {
		return time.Time{}, false
	}
	switch s.phase {
	case Menu:
		return s.touched.Add(menuIdle), true
	case Attract:
		switch d := &s.demo; {
		case !d.bars.IsZero():
			return d.bars.Add(barsTime), true
		case d.over():
			return s.landing().rested.Add(cheerTime + demoRest), true
		case d.standing != nil:
			return d.moved.Add(lookEvery), true
		}
		return s.demo.moved.Add(demoPace), s.thought.done
	case Thinking:
		return s.thoughtDue(), s.thought.done
	case Fall:
		return s.landing().rested, true
	case Looking:
		switch l := &s.look; {
		case l.atEnd(), l.at == l.discs() && !l.aside:
			return s.landing().rested.Add(lookEnd), true
		case l.aside && l.step > 0:
			_, w, _ := l.variation()
			return l.moved.Add(asideEvery(len(w.Line))), true
		default:
			return l.moved.Add(s.lookPause()), true
		}
	}
	length := lengths[s.phase]
	if s.phase == Hinting && s.voices > 0 {
		length = heardTime
	}
	return s.since.Add(length), length > 0
}

// lengths has the phases that end after a fixed time.
var lengths = [Over + 1]time.Duration{
	Cheer: cheerTime, Score: scoreTime, Victory: victoryTime, Drawn: drawTime, Clear: clearTime,
	Hinting: hintTime, Admitting: admitTime,
}

// Next returns the first moment after now at which the view changes by itself; false
// means never.
func (s State) Next(now time.Time) (time.Time, bool) {
	next, ok := s.due()
	sooner := func(t time.Time, is bool) {
		if is && (!ok || t.Before(next)) {
			next, ok = t, true
		}
	}
	switch s.phase {
	case Aim, Thinking:
		sooner(nextEdge(s.blinks, blinkHalf, now), s.sharedTop())
		breath, breathes := s.breathes()
		if !now.Before(breath) {
			breath = nextEdge(breath, breatheHalf, now)
		}
		sooner(breath, breathes)
		end := s.windows.dark()
		sooner(end, s.phase == Aim && now.Before(end))
	case Menu:
		sooner(nextEdge(s.since, swapEvery, now), s.swaps())
	case Reading:
		sooner(nextEdge(s.blinks, blinkHalf, now), true)
	case Attract, Fall, Cheer, Looking:
		edge, moves := s.landing().next(now)
		sooner(edge, moves)
		sooner(nextEdge(s.since, blinkHalf, now), s.phase == Looking && s.look.verdict(s.look.at-1).Marked())
	case Hinting:
		sooner(nextEdge(s.since, breatheHalf, now), s.advice.Why.Cells != 0)
	}
	sooner(s.since.Add(endShown), s.config.Waits && s.fresh(now))
	sooner(s.dark())
	for i := range s.seats {
		sooner(s.seats[i].due())
	}
	blinks := s.phase == Aim || s.phase == Thinking || s.phase == Paused || s.phase == Menu
	sooner(nextEdge(s.refused.since, blinkHalf, now), blinks && s.refused.shows(now))
	return next, ok
}
