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

// input is a [Key] that was pressed, or a [Column], [Command], [Select] or [Choose], and what it means in a match.
type input struct {
	key  any
	held bool // left or right repeats, because it is held
	soon bool // less than keysRest after the key before it

	dir    int  // of left and right: -1 and +1; 0: another key
	drops  bool // a disc, in the column col
	typed  bool // it names the column; otherwise col is the cursor's
	col    int
	pauses bool
}

func (g *Game) newInput(key any) input {
	in := input{key: key, col: g.cursor, soon: g.now.Before(g.touched.Add(keysRest))}
	switch key {
	case Left:
		in.dir = -1
	case Right:
		in.dir = +1
	case Down, Middle:
		in.drops = true
	case Up, Pause, Back:
		in.pauses = true
	}
	if column, ok := key.(Column); ok {
		in.col, in.drops, in.typed = column.Col, true, true
	}
	return in
}

// open shows a screen. The question of the last one is cancelled, and so is a browser's request that has no answer;
// a held key stops repeating.
func (g *Game) open(s screen) {
	g.forget()
	if g.admission.Answer == Unanswered {
		g.reject()
	}
	g.screen, g.since, g.blinks = s, g.now, g.now
	g.held = 0
	g.refused = refusal{}
}

// hold lets a key that was pressed repeat.
func (g *Game) hold(in input) { g.held, g.moved = in.key.(Key), g.now }

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
	since, until time.Time
	hidden       bool // the cursor or the selected icon has moved
}

// shows reports whether the refusal blinks, and whether it is dark.
func (r refusal) shows(p *picture) (shows, dark bool) {
	shows = !r.hidden && p.now.Before(r.until)
	return shows, shows && p.blinks(r.since)
}

// blink shows that a key was refused: the cursor or the icon blinks once, or twice if the notice
// names a column. A blink is not restarted before its end: repeated presses would make LEDs flash.
func (g *Game) blink(n Notice) {
	g.note(n)
	if !g.now.Before(g.refused.until) {
		g.refused = refusal{since: g.now, until: g.now.Add(blink)}
		if n.Column > 0 {
			g.refused.until = g.now.Add(2 * blink)
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

// list handles a key that names one of some choices, or walks to it from another one. takes says that it is also taken.
func (g *Game) list(in input, c Choices) (chosen int, takes, ok bool) {
	n := len(c.All())
	switch key := in.key.(type) {
	case Select:
		chosen = key.Entry
	case Choose:
		chosen, takes = key.Entry, true
	default:
		if in.dir == 0 {
			return 0, false, false
		}
		g.hold(in)
		chosen = wrap(c.Chosen, in.dir, n, in.held)
	}
	g.refused.hidden = true
	return chosen, takes, chosen >= 0 && chosen < n
}

// wrap returns i moved by dir within 0 to n-1. A press wraps around; a held key stops at the edges.
func wrap(i, dir, n int, held bool) int {
	i += dir
	if held {
		return min(max(i, 0), n-1)
	}
	return (i + n) % n
}
