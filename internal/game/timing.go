package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
)

// How long things take. Because faster flashes can trigger seizures, nothing blinks faster than
// three times a second. A blink is dark for its first half and lit for its second.
const (
	blinkHalf = 250 * time.Millisecond
	blink     = 2 * blinkHalf

	fallRow     = 30 * time.Millisecond  // a disc falls by one row
	fallRowFull = 100 * time.Millisecond // a disc falls by one row on a board with 8 rows
	demoRow     = 100 * time.Millisecond

	// A fall takes at least this long, including the rest after the landing, so that an accidental
	// second tap does not skip the cheer.
	minFallTime = dropWindow

	// A turn begins once the last disc is saved, so that a power cut loses no disc that people have
	// seen land. If the disk is slow, the game waits this long at most.
	saveTime = time.Second

	cheerTime   = 3 * blink
	scoreTime   = 1500 * time.Millisecond
	victoryTime = 1500 * time.Millisecond
	drawTime    = 1500 * time.Millisecond
	clearTime   = 250 * time.Millisecond
	hintTime    = 5 * time.Second

	holdEvery = 150 * time.Millisecond // the shortest time between two repeats of a held key
	menuIdle  = 60 * time.Second

	minThinkTime = 400 * time.Millisecond // the computer's shortest turn, so that a person can follow
	walkStep     = 120 * time.Millisecond // the computer's cursor moves by one column
	breatheAfter = time.Second            // how long a turn lasts before the cursor breathes
	breatheHalf  = 500 * time.Millisecond

	demoPace = 1500 * time.Millisecond // from one disc of the demo to the next
	demoRest = 3 * time.Second         // after each round of the demo

	lookEvery = 700 * time.Millisecond // from one disc to the next of a match that is looked back at
	lookEnd   = 3 * time.Second        // how long a replay shows its last picture if no key was pressed
)

// blinkDark reports whether something that started to blink at since is dark now.
func blinkDark(since, now time.Time) bool { return now.Sub(since)/blinkHalf%2 == 0 }

// nextEdge returns the first moment after now that is a whole number of periods after start.
func nextEdge(start time.Time, period time.Duration, now time.Time) time.Time {
	return start.Add((now.Sub(start)/period + 1) * period)
}

// landing is the animation of a game's last disc: it falls, rests and, if it has won, its lines
// blink.
type landing struct {
	game                    board.Game
	row                     time.Duration // how long the disc stays in each row
	dropped, fallen, rested time.Time
}

// landingOf returns the landing of a game's last disc. After the fall, the disc stays still for the
// time rest.
func landingOf(g board.Game, dropped time.Time, rowTime, rest time.Duration) landing {
	l := landing{g, rowTime, dropped, dropped, dropped}
	if _, row, ok := g.Last(); ok {
		l.fallen = dropped.Add(time.Duration(side-1-row) * rowTime)
		l.rested = l.fallen.Add(rest)
	}
	return l
}

// landing returns the landing of the last disc shown, in a phase in which that disc can move.
func (s *State) landing() landing {
	switch s.phase {
	case Attract:
		return landingOf(s.demo.game, s.demo.moved, demoRow, demoRow)
	case Looking:
		return landingOf(s.look.shown(), s.look.moved, fallRow, 0)
	case Cheer:
		return landing{game: s.record.Game, rested: s.since}
	}
	row := fallRow
	if s.sharedTop() {
		row = fallRowFull
	}
	l := landingOf(s.record.Game, s.since, row, row)
	if least := s.since.Add(minFallTime); l.rested.Before(least) {
		l.rested = least
	}
	if s.saving != 0 {
		l.rested = l.rested.Add(saveTime)
	}
	return l
}

// cheers reports whether the disc has won and its lines have not finished blinking.
func (l landing) cheers(now time.Time) bool {
	return l.game.Position().Outcome().Winner() != board.Empty && now.Before(l.rested.Add(cheerTime))
}

// next returns when the picture changes next; false means that nothing moves.
func (l landing) next(now time.Time) (time.Time, bool) {
	switch {
	case now.Before(l.fallen):
		return nextEdge(l.dropped, l.row, now), true
	case now.Before(l.rested):
		return l.rested, true
	}
	return nextEdge(l.rested, blinkHalf, now), l.cheers(now)
}

// rests reports whether the phase lasts until a key is pressed or the screen goes dark.
func (s *State) rests() bool {
	switch s.phase {
	case Aim, Paused:
		return true
	case Hinting, Cheer, Drawn:
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
		if s.demo.game.Position().Outcome() != board.Playing {
			return s.landing().rested.Add(cheerTime + demoRest), true
		}
		return s.demo.moved.Add(demoPace), s.thought.done
	case Thinking:
		return s.thoughtDue(), s.thought.done
	case Fall:
		return s.landing().rested, true
	case Looking:
		switch l := &s.look; {
		case l.atEnd():
			return s.landing().rested.Add(lookEnd), true
		case l.at == l.discs():
			return s.landing().rested.Add(cheerTime), true
		default:
			return l.moved.Add(lookEvery), true
		}
	}
	length := phases[s.phase].length
	return s.since.Add(length), length > 0
}

// thoughtDue returns when the computer's cursor takes its next step, or drops the disc.
func (s *State) thoughtDue() time.Time {
	due := s.thought.moved.Add(walkStep)
	if least := s.since.Add(minThinkTime); s.cursor == s.thought.col && due.Before(least) {
		return least
	}
	return due
}

// breathes returns when the cursor starts to breathe, that is, to alternate between dim and bright.
// It does so while the computer is thinking or another client holds the seat, unless it blinks.
func (s *State) breathes() (since time.Time, ok bool) {
	elsewhere := s.phase == Thinking && !s.thought.done || s.phase == Aim && s.seat(s.toMove()).State != Open
	return s.since.Add(breatheAfter), elsewhere && !s.sharedTop()
}

// Next returns the first moment after now at which the view changes by itself; false
// means never.
func (s State) Next(now time.Time) (time.Time, bool) {
	next, ok := s.due()
	sooner := func(t time.Time) {
		if !ok || t.Before(next) {
			next, ok = t, true
		}
	}
	switch s.phase {
	case Aim, Thinking:
		if s.sharedTop() {
			sooner(nextEdge(s.blinks, blinkHalf, now))
		}
		if since, ok := s.breathes(); ok && now.Before(since) {
			sooner(since)
		} else if ok {
			sooner(nextEdge(since, breatheHalf, now))
		}
		if end := s.windows.dark(); s.phase == Aim && now.Before(end) {
			sooner(end)
		}
	case Hinting:
		sooner(nextEdge(s.since, blinkHalf, now))
	case Attract, Fall, Cheer, Looking:
		if edge, ok := s.landing().next(now); ok {
			sooner(edge)
		} else if s.phase == Looking && s.look.verdict(s.look.at-1).Marked() {
			sooner(nextEdge(s.since, blinkHalf, now))
		}
	}
	if dark, ok := s.dark(); ok {
		sooner(dark)
	}
	for i := range s.seats {
		if due, ok := s.seats[i].due(); ok {
			sooner(due)
		}
	}
	if (s.phase == Aim || s.phase == Thinking || s.phase == Paused || s.phase == Menu) && s.refused.shows(now) {
		sooner(nextEdge(s.refused.since, blinkHalf, now))
	}
	return next, ok
}
