package game

import (
	"slices"
	"time"

	"github.com/c4hat/c4hat/board"
)

const (
	lookEvery = 700 * time.Millisecond // from one disc to the next
	lookAside = 8 * time.Second        // the discs of a variation take no longer, however many there are
	lookMark  = 5 * time.Second        // from a disc with a mark to the next one: people read why
	lookEnd   = 3 * time.Second        // how long the end of a round or of a variation is shown
)

// Variation says which variation of a disc with a mark is shown, by the name of its
// field in the disc's [Verdict].
type Variation string

const (
	Refutation  Variation = "why"    // what follows the disc
	Improvement Variation = "better" // what would have been better
)

// look is a match that somebody looks back at, disc by disc: a list of stops, and the one that is shown.
type look struct {
	record Record
	back   screen // which it leaves for; nil: the program shows nothing else
	rounds []lookRound
	stops  []stop
	at     int

	dropped time.Time // when the last disc on the board was dropped; zero: nothing falls
	plays   bool      // the next disc drops by itself
	opened  bool      // nothing but the end, where it begins, was shown yet
}

type lookRound struct {
	match    board.Match // before it
	game     board.Game
	opening  int       // discs on the board before it
	verdicts []Verdict // by ply
	reviewed bool      // no more verdicts will come
}

// stop is a place in a look back: so many discs of a round. A disc with a mark is followed by its variations,
// one disc more at each stop. After each it is shown again.
type stop struct {
	round, discs int
	told         int       // how many variations of the last disc were shown, with this one
	variation    Variation // which is shown; empty: none
	step         int       // how many of its discs are on the board
}

// newLook returns a look back at a match, at its first stop. It leaves out a last round without discs.
func newLook(r Record) *look {
	l := &look{record: r}
	for m, g := range r.Replay() {
		discs := g.Position().Ply()
		if round := len(l.rounds); discs > 0 || round == 0 {
			l.rounds = append(l.rounds, lookRound{match: m, game: g, opening: r.OpeningOf(round), verdicts: make([]Verdict, discs)})
		}
	}
	l.list()
	return l
}

// list lists the stops. That which is shown stays.
func (l *look) list() {
	var shown stop
	if l.stops != nil {
		shown = l.stops[l.at]
	} else {
		shown.discs = l.rounds[0].opening
	}
	l.stops = l.stops[:0]
	for round, r := range l.rounds {
		for discs := r.opening; discs <= len(r.verdicts); discs++ {
			l.stops = append(l.stops, stop{round: round, discs: discs})
			v := r.verdict(discs - 1)
			if !v.Marked() {
				continue
			}
			for i, variation := range []Variation{Refutation, Improvement} {
				line := v.of(variation).Line
				if line == "" {
					continue
				}
				for step := range len(line) + 1 {
					l.stops = append(l.stops, stop{round, discs, i + 1, variation, step})
				}
				l.stops = append(l.stops, stop{round: round, discs: discs, told: i + 1})
			}
		}
	}
	if l.at = slices.Index(l.stops, shown); l.at < 0 {
		l.at = slices.Index(l.stops, stop{round: shown.round, discs: shown.discs})
	}
}

func (r *lookRound) verdict(ply int) Verdict {
	if ply < 0 || ply >= len(r.verdicts) {
		return Verdict{}
	}
	return r.verdicts[ply]
}

func (l *look) stop() stop { return l.stops[l.at] }

func (l *look) round() *lookRound { return &l.rounds[l.stop().round] }

// verdict returns the verdict on the last disc.
func (l *look) verdict() Verdict { return l.round().verdict(l.stop().discs - 1) }

// why returns the reason of the variation that is shown.
func (l *look) why() Why { return l.verdict().of(l.stop().variation) }

// exact reports whether verdicts are available: with four in a line.
func (l *look) exact() bool { return l.record.Match.Rules().Connect == board.Standard.Connect }

// game returns the round up to the last disc that is shown, and the game without the discs of a variation.
func (l *look) game() (round, before board.Game) {
	round = l.round().game
	for range len(l.round().verdicts) - l.stop().discs {
		_ = round.Undo() // the game has that many discs
	}
	before = round
	if l.stop().variation == Improvement {
		_ = before.Undo()
	}
	return round, before
}

func (l *look) landing() landing {
	_, g := l.game()
	s, dropped := l.stop(), l.dropped
	if s.variation != "" && s.step == 0 {
		dropped = time.Time{} // the variation has no disc yet
	}
	return landingOf(l.why().Play(g, s.step), dropped, fallRow, 0)
}

// lookBack shows the last round that has ended of the last match or, amid a match, of this match, starting
// at the round's end. If none has ended it shows the first round.
func (g *Game) lookBack(amid bool) {
	r, back := g.last, screen(&g.menu)
	if amid {
		r, back = g.record, g.roundsEnd()
	}
	if r.ID == "" {
		g.blink(Notice{Kind: NoticeNoMatch})
		return
	}
	if g.look == nil || g.look.record != r {
		g.look = newLook(r)
	}
	l := g.look
	round := len(l.rounds) - 1
	if round > 0 && l.rounds[round].game.Position().Outcome() == board.Playing {
		round--
	}
	l.back, l.plays, l.dropped, l.opened = back, false, time.Time{}, true
	l.at = slices.Index(l.stops, stop{round: round, discs: len(l.rounds[round].verdicts)})
	g.open(l)
}

// leave returns to the menu or to the end of the round.
func (l *look) leave(g *Game) {
	g.emit(Rest{})
	g.open(l.back)
	if l.back != &g.menu { // everybody has seen it: no key is hasty
		g.since, g.touched = g.now.Add(-endShown), g.now.Add(-keysRest)
	}
}

func (*look) phase() Phase { return Looking }

func (l *look) idles(*Game) screen {
	if l.plays {
		return nil
	}
	return l
}

func (l *look) press(g *Game, in input) {
	if dir, ok := in.sideways(); ok {
		g.hold(in.key)
		l.plays = false
		l.step(g, dir, in.held)
		return
	}
	switch in.key {
	case Up:
		if l.jump(g, -1); g.screen == l {
			g.hold(Up)
		}
	case Down:
		l.jump(g, +1)
	case Middle, Pause:
		l.toggle(g)
	case Back:
		switch {
		case l.stop().variation != "":
			l.leaveVariation(g)
		case l.back == nil:
			g.endMatch()
		default:
			l.leave(g)
		}
	}
}

// seek shows the nearest stop in a direction of which is holds, if there is one.
func (l *look) seek(g *Game, dir int, is func(stop) bool) bool {
	for at := l.at + dir; at >= 0 && at < len(l.stops); at += dir {
		if is(l.stops[at]) {
			if l.stops[at].round != l.stop().round {
				g.forget() // the question is about the round
			}
			l.at, l.opened = at, false
			return true
		}
	}
	return false
}

// step shows one more disc or one fewer.
func (l *look) step(g *Game, dir int, held bool) {
	shown := l.stop()
	if shown.variation != "" && shown.step+dir < 0 {
		l.leaveVariation(g)
		return
	}
	moved := l.seek(g, dir, func(s stop) bool {
		if shown.variation != "" {
			return s == stop{shown.round, shown.discs, shown.told, shown.variation, shown.step + dir}
		}
		return s.told == 0 && (s.round != shown.round || s.discs != shown.discs)
	})
	switch {
	case !moved:
		g.noteEdge(dir, held)
	case dir > 0:
		l.dropped = g.now
	default:
		l.dropped = time.Time{}
	}
}

// leaveVariation shows the round again.
func (l *look) leaveVariation(g *Game) {
	l.seek(g, +1, func(s stop) bool { return s.variation == "" })
	l.plays, l.dropped = false, time.Time{}
}

// jump goes to the nearest disc that has a mark or has no verdict yet, or to the end or the opening of
// the round. From the end it goes to the next round. After the last round and before the opening it
// leaves; but if the program shows only this match, it goes to the end of the round before. At a disc
// with a mark, its variations come before the next disc, and the way back leads from a variation to the
// disc. Where a look back begins, both ways lead to the last mark.
func (l *look) jump(g *Game, dir int) {
	shown := l.stop()
	same := func(s stop) bool { return s.round == shown.round && s.discs == shown.discs }
	if dir > 0 && l.seek(g, +1, func(s stop) bool { return s.variation != "" && s.step == 0 && same(s) }) {
		l.plays, l.dropped = true, g.now
		return
	}
	if l.opened {
		dir = -1
	}
	if shown.variation != "" && dir < 0 {
		l.leaveVariation(g)
		return
	}
	l.plays, l.dropped = false, time.Time{}
	first := shown.discs == l.rounds[shown.round].opening
	if dir < 0 && first && l.back != nil || !l.seek(g, dir, func(s stop) bool { return s.told == 0 && !same(s) && l.stands(s) }) {
		switch {
		case l.back != nil:
			l.leave(g)
		case shown.variation != "":
			l.leaveVariation(g)
		}
	}
}

// stands reports whether a jump ends at a stop.
func (l *look) stands(s stop) bool {
	r := &l.rounds[s.round]
	v := r.verdict(s.discs - 1)
	return s.discs == r.opening || s.discs == len(r.verdicts) || v.Marked() || l.exact() && !v.Known && !r.reviewed
}

// toggle makes the discs drop by themselves, or stops them. At the end of the match, it starts
// from the beginning again.
func (l *look) toggle(g *Game) {
	l.plays = !l.plays
	l.dropped = g.now.Add(lookEvery - l.pause(g)) // everybody has read why the last disc has a mark
	if !l.plays || !l.atEnd() {
		return
	}
	shown := l.stop()
	first := stop{round: shown.round, discs: l.round().opening}
	switch {
	case shown.variation != "":
		first = stop{shown.round, shown.discs, shown.told, shown.variation, 0}
	case l.back == nil:
		first = stop{discs: l.rounds[0].opening}
	}
	l.seek(g, -1, func(s stop) bool { return s == first })
}

// atEnd reports whether nothing follows: in the variation that is shown or, without one, in the match.
func (l *look) atEnd() bool {
	if s := l.stop(); s.variation != "" {
		return s.step == len(l.why().Line)
	}
	return l.roundEnds() && l.stop().round == len(l.rounds)-1
}

func (l *look) roundEnds() bool { return l.stop().discs == len(l.round().verdicts) }

// pause returns how long the last disc is shown before the next drops by itself.
func (l *look) pause(g *Game) time.Duration {
	switch {
	case l.stop().variation != "" || !l.verdict().Marked():
		return lookEvery
	case g.voices > 0:
		return heardTime
	}
	return lookMark
}

// asideEvery returns the time from one disc of a variation to the next. Of 39 discs, each falls to its end.
func asideEvery(discs int) time.Duration { return min(lookEvery, lookAside/time.Duration(discs)) }

func (l *look) due(g *Game) time.Time {
	switch s := l.stop(); {
	case !l.plays:
		return time.Time{}
	case l.atEnd(), l.roundEnds() && s.variation == "":
		return l.landing().rested.Add(lookEnd)
	case s.variation != "" && s.step > 0:
		return l.dropped.Add(asideEvery(len(l.why().Line)))
	default:
		return l.dropped.Add(l.pause(g))
	}
}

// pass drops the next disc by itself, or returns from a variation.
func (l *look) pass(g *Game) {
	switch {
	case !l.atEnd():
		l.step(g, +1, true)
	case l.stop().variation != "":
		l.leaveVariation(g)
	default:
		l.plays = false
	}
}

// ask asks for the verdicts of the round, unless they are known or cannot be. Verdicts arrive for the
// last disc first. If some are missing, ask asks for all, because the end of a round decides which of
// its discs have a mark.
func (l *look) ask(g *Game) {
	r := l.round()
	if r.reviewed || !l.exact() || len(r.verdicts) == r.opening || r.verdicts[r.opening].Known {
		return
	}
	g.ask(Question{Kind: Review, Game: r.game, Opening: r.opening})
}

func (l *look) answer(_ *Game, ev Answered) {
	r := l.round()
	if !ev.More {
		r.reviewed = true // the remaining discs get no verdict
	} else if ev.Ply >= 0 && ev.Ply < len(r.verdicts) {
		r.verdicts[ev.Ply] = ev.Verdict
		l.list()
	}
}

func (l *look) view(_ *Game, v *View) {
	s, r := l.stop(), l.round()
	v.Record, v.Cursor = l.record, 0
	v.Match, v.Game, v.Counted = r.match, r.game, false
	if l.roundEnds() {
		v.Record = v.Count()
	} else {
		v.Game, _ = l.game()
		v.Cursor = r.game.Move(s.discs)
	}
	v.Look = Look{
		Round: s.round + 1, Rounds: len(l.rounds), Discs: len(r.verdicts),
		Last: l.verdict(), Next: r.verdict(s.discs), Plays: l.plays, Exact: l.exact(), Only: l.back == nil,
		Lost:      slices.IndexFunc(r.verdicts, func(v Verdict) bool { return v.Decided }) + 1,
		Variation: s.variation, Step: s.step, Told: s.told > 1,
	}
}

// matter returns the cells that the remark is about, and whether the disc's own player would win there.
func (v Verdict) matter() (cells Cells, own bool) {
	switch {
	case v.Cells != 0:
		return v.Cells, v.Remark == MissedFour
	case v.After < 0 && v.Why.Cells != 0:
		return v.Why.Cells, false
	}
	return v.Better.Cells, true
}

// draw draws the round so far. A last disc with a mark blinks, and the cells that matter are lit;
// above any other is the next disc, and the columns' scores for that disc's player. The
// discs of a variation are dimmed, but not in a line that wins.
func (l *look) draw(g *Game, p *picture) {
	f := &p.Frame
	s, last := l.stop(), l.landing()
	last.draw(p)
	position := last.game.Position()
	r := position.Rules()
	v := l.verdict()
	cells, own := v.matter()
	second := false
	if s.variation == "" && v.Marked() {
		beat := p.beat(g.since, blinkHalf)
		second = beat/2%2 == 1
		if beat%2 == 0 && !last.moves(p) {
			col, row, _ := last.game.Last()
			f[cell(col, row)] = LEDDark
		}
	}
	if s.variation != "" {
		var before Frame
		_, game := l.game()
		drawDiscs(&before, &game)
		lines := position.Lines()
		for i, led := range f {
			if led != before[i] && !lines.Has(i%side, side-1-i/side) {
				f[i] = led.Dimmed()
			}
		}
		cells = l.why().Cells
	}
	led := LEDWins
	if second { // not in a variation, whose discs have that colour
		winner := position.Turn()
		if own {
			winner = winner.Other()
		}
		led = discLED(r, winner).Dimmed()
	}
	drawCells(f, position, cells, led)
	if l.roundEnds() || s.variation != "" || v.Marked() || !hintRow(r) { // a disc with a mark is shown alone
		return
	}
	f[l.round().game.Move(s.discs)] = discLED(r, position.Turn())
	next := l.round().verdict(s.discs)
	for col := range position.LegalMoves() {
		led := scoreLED(int(next.Worth[col]), next.Known)
		if next.Known && next.Before < 0 && next.Worth[col] == next.Before { // every column loses, and this one last
			led = discLED(r, position.Turn()).Dimmed()
		}
		if l.exact() && led != LEDDark { // dark would hide a falling disc
			f[8*hintY+col] = led
		}
	}
}
