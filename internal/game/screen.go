package game

import "time"

// A screen is what the LEDs show, and what keys do there. Each has a file of its own, and its own
// fields. A screen that embeds [plain] needs only press and show.
type screen interface {
	press(*Game, input)                  // may open another screen
	show(*Game, *picture)                // adds the phase, what the LEDs show, and what they do not
	next(*Game) (time.Time, func(*Game)) // when it changes or ends by itself, and how; zero: only by a key
	ask(*Game)                           // asks its [Question], if it has one; none is open
	answer(*Game, Answered)              // its question has an answer
}

// plain has what most screens do: nothing.
type plain struct{}

func (plain) next(*Game) (at time.Time, change func(*Game)) { return at, nil }
func (plain) ask(*Game)                                     {}
func (plain) answer(*Game, Answered)                        {}

// input is a [Key] that was pressed, or a [Column], [Command], [Select] or [Choose].
type input struct {
	key  any
	held bool // left or right repeats, because it is held
	soon bool // less than keysRest after the key before it
}

// sideways returns the direction of left and right.
func (in input) sideways() (dir int, ok bool) {
	switch in.key {
	case Left:
		return -1, true
	case Right:
		return +1, true
	}
	return 0, false
}

// column returns the column in which an input can drop a disc, if it is one that can.
func (in input) column(g *Game) (col int, ok bool) {
	switch key := in.key.(type) {
	case Key:
		return g.cursor, key == Down || key == Middle
	case Column:
		return key.Col, true
	}
	return 0, false
}

// pauses reports whether the input pauses a match.
func (in input) pauses() bool { return in.key == Up || in.key == Pause || in.key == Back }

// typed reports whether the input names a column.
func (in input) typed() bool {
	_, ok := in.key.(Column)
	return ok
}

// open shows a screen. The question of the last one is cancelled, and so is a browser's request that has no answer;
// a held key stops repeating.
func (g *Game) open(s screen) {
	g.forget()
	if g.admission.Answer == Unanswered {
		g.settle(Rejected)
	}
	g.screen, g.since, g.blinks = s, g.now, g.now
	g.held = 0
	g.refused = refusal{}
}

// hold lets a key that was pressed repeat.
func (g *Game) hold(key any) { g.held, g.moved = key.(Key), g.now }

// picture is the view at a moment, and until when it stays as it is.
type picture struct {
	View
	now, until time.Time // until is zero if it stays until an event
}

// changes notes that the picture changes at a moment, if that is yet to come.
func (p *picture) changes(at time.Time) {
	if at.After(p.now) && (p.until.IsZero() || at.Before(p.until)) {
		p.until = at
	}
}

// before reports whether a moment is yet to come, when the picture changes.
func (p *picture) before(at time.Time) bool {
	p.changes(at)
	return p.now.Before(at)
}

// beat counts the periods since a moment. The picture changes with each.
func (p *picture) beat(since time.Time, period time.Duration) int {
	n := p.now.Sub(since) / period
	p.changes(since.Add((n + 1) * period))
	return int(n)
}

// blinks reports whether something that started to blink at since is dark now. A blink is dark for its
// first half and lit for its second. Because faster flashes can trigger seizures, nothing blinks faster
// than three times a second.
func (p *picture) blinks(since time.Time) bool { return p.beat(since, blinkHalf)%2 == 0 }

const (
	blinkHalf   = 250 * time.Millisecond
	blink       = 2 * blinkHalf
	breatheHalf = 500 * time.Millisecond // of what alternates between dim and bright
)

// refusal is a blink that signals a refused key.
type refusal struct {
	since  time.Time
	blinks int
	hidden bool // the cursor or the selected icon has moved
}

func (r refusal) over(now time.Time) bool { return now.Sub(r.since) >= time.Duration(r.blinks)*blink }

// shows reports whether the refusal blinks, and whether it is dark.
func (r refusal) shows(p *picture) (shows, dark bool) {
	if r.hidden || r.over(p.now) {
		return false, false
	}
	return true, p.blinks(r.since)
}

// blink shows that a key was refused: the cursor or the icon blinks once, or twice if the notice
// names a column. A blink is not restarted before its end: repeated presses would make LEDs flash.
func (g *Game) blink(n Notice) {
	g.note(n)
	if g.refused.over(g.now) {
		g.refused = refusal{since: g.now, blinks: 1}
		if n.Column > 0 {
			g.refused.blinks = 2
		}
	}
}

func (g *Game) note(n Notice) {
	if last := g.before; last.Kind == n.Kind && last.Column == n.Column {
		n.Again = last.Again + 1
	}
	g.notice = n
}

// noteEdge says that a list or a match goes no further, to people who do not see it. A held key does not
// repeat it.
func (g *Game) noteEdge(dir int, held bool) {
	switch {
	case held:
	case dir < 0:
		g.note(Notice{Kind: NoticeFirst})
	default:
		g.note(Notice{Kind: NoticeLast})
	}
}

// list handles a key that names one of n entries, or walks to it from another one. takes says that it is also taken.
func (g *Game) list(in input, at, n int) (entry int, takes, ok bool) {
	switch key := in.key.(type) {
	case Select:
		entry = key.Entry
	case Choose:
		entry, takes = key.Entry, true
	default:
		dir, sideways := in.sideways()
		if !sideways {
			return at, false, false
		}
		g.hold(key)
		entry = wrap(at, dir, n, in.held)
	}
	g.refused.hidden = true
	return entry, takes, entry >= 0 && entry < n
}

// wrap returns i moved by dir within 0 to n-1. A press wraps around; a held key stops at the edges.
func wrap(i, dir, n int, held bool) int {
	i += dir
	if held {
		return min(max(i, 0), n-1)
	}
	return (i + n) % n
}
