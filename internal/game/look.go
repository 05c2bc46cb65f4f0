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

// look is a match that somebody looks back at, stop by stop: the discs of each round in turn and, after a disc
// with a mark, its variations.
type look struct {
	record Record
	back   screen // which it leaves for; nil: the program shows nothing else
	rounds []lookRound
	at     stop

	dropped time.Time // when the last disc on the board was dropped; zero: nothing falls
	plays   bool      // the next disc drops by itself
	opened  bool      // nothing but the end, where it begins, was shown yet
}

// stop is a moment of a match: so many discs of a round are on the board and, in a variation of the last of
// them, so many of that.
type stop struct {
	round, discs int
	variation    Variation
	step         int
}

// disc returns the stop without a variation.
func (s stop) disc() stop { return stop{round: s.round, discs: s.discs} }

type lookRound struct {
	match    board.Match // before it
	game     board.Game
	opening  int       // discs on the board before it
	verdicts []Verdict // by ply
	reviewed bool      // no more verdicts will come
}

// newLook returns a look back at a match, before its first disc. It leaves out a last round without discs.
func newLook(r Record) *look {
	l := &look{record: r}
	for m, g := range r.Replay() {
		discs := g.Position().Ply()
		if round := len(l.rounds); discs > 0 || round == 0 {
			l.rounds = append(l.rounds, lookRound{match: m, game: g, opening: r.OpeningOf(round), verdicts: make([]Verdict, discs)})
		}
	}
	l.at.discs = l.rounds[0].opening
	return l
}

// of returns the verdict on the last of so many discs.
func (r *lookRound) of(discs int) Verdict {
	if discs < 1 || discs > len(r.verdicts) {
		return Verdict{}
	}
	return r.verdicts[discs-1]
}

func (l *look) shown() *lookRound { return &l.rounds[l.at.round] }

// verdict returns the verdict on the last disc.
func (l *look) verdict() Verdict { return l.shown().of(l.at.discs) }

// why returns the reason of the variation that is shown.
func (l *look) why() Why { return l.verdict().of(l.at.variation) }

// exact reports whether verdicts are available: with four in a line.
func (l *look) exact() bool { return l.record.Match.Rules().Connect == board.Standard.Connect }

// game returns the round up to the last disc that is shown, and the game without the discs of a variation.
func (l *look) game() (round, before board.Game) {
	round = l.shown().game
	for range len(l.shown().verdicts) - l.at.discs {
		_ = round.Undo() // the game has that many discs
	}
	before = round
	if l.at.variation == Improvement {
		_ = before.Undo()
	}
	return round, before
}

func (l *look) landing() landing {
	_, g := l.game()
	dropped := l.dropped
	if l.aside() && l.at.step == 0 {
		dropped = time.Time{} // the variation has no disc yet
	}
	return landingOf(l.why().Play(g, l.at.step), dropped, fallRow, 0)
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
	l.to(g, stop{round: round, discs: len(l.rounds[round].verdicts)}, false)
	l.back, l.opened = back, true
	g.open(l)
}

// leave returns to the menu or to the end of the round.
func (l *look) leave(g *Game) {
	g.emit(Rest{})
	g.open(l.back)
}

func (l *look) press(g *Game, in input) {
	switch {
	case in.dir != 0:
		g.hold(in)
		if l.plays = false; !l.walk(g, in.dir) {
			g.noteEdge(in.dir, in.held)
		}
	case in.key == Up:
		if l.jump(g, -1); g.screen == screen(l) {
			g.hold(in)
		}
	case in.key == Down:
		l.jump(g, +1)
	case in.key == Middle, in.key == Pause:
		l.toggle(g)
	case in.key != Back:
	case l.aside():
		l.to(g, l.at.disc(), false)
	case l.back == nil:
		g.endMatch()
	default:
		l.leave(g)
	}
}

// to goes to a stop, where nothing drops by itself. Its last disc falls, or is there.
func (l *look) to(g *Game, s stop, falls bool) {
	if s.round != l.at.round {
		g.forget() // the question is about the round
	}
	l.at, l.opened, l.plays, l.dropped = s, false, false, time.Time{}
	if falls {
		l.dropped = g.now
	}
}

// stops lists all stops: each disc, followed by its variations if it has a mark.
func (l *look) stops() (all []stop) {
	for i, r := range l.rounds {
		for discs := r.opening; discs <= len(r.verdicts); discs++ {
			all = append(all, stop{round: i, discs: discs})
			for _, variation := range []Variation{Refutation, Improvement} {
				v := r.of(discs)
				if line := v.of(variation).Line; line != "" && v.Marked() {
					for step := range len(line) + 1 {
						all = append(all, stop{i, discs, variation, step})
					}
				}
			}
		}
	}
	return all
}

// find returns the nearest stop in a direction for which ok holds or, if there is none, the disc.
func (l *look) find(dir int, ok func(stop) bool) (s stop, found bool) {
	all := l.stops()
	for i := slices.Index(all, l.at) + dir; i >= 0 && i < len(all); i += dir {
		if ok(all[i]) {
			return all[i], true
		}
	}
	return l.at.disc(), false
}

// walk shows one more disc of the match or of the variation, or one fewer; left of its first disc, a variation ends.
// It reports whether there is one.
func (l *look) walk(g *Game, dir int) bool {
	disc := l.at.disc()
	s, found := l.find(dir, func(s stop) bool {
		return s == disc || s.variation == l.at.variation && (!l.aside() || s.disc() == disc)
	})
	if found {
		l.to(g, s, dir > 0)
	}
	return found
}

// jump goes to the nearest disc that has a mark or has no verdict yet, or to the end or the opening of
// the round. From the end it goes to the next round. After the last round and before the opening it
// leaves; but if the program shows only this match, it goes to the end of the round before. The variations of a disc
// with a mark come before the next disc, and the way back leads from a variation to the disc. Where a look back
// begins, both ways lead to the last mark.
func (l *look) jump(g *Game, dir int) {
	s, found := l.find(dir, func(s stop) bool {
		if s.variation != "" {
			return dir > 0 && s.step == 0
		}
		r := &l.rounds[s.round]
		v := r.of(s.discs)
		unknown := l.exact() && !v.Known && !r.reviewed
		return s == l.at.disc() || v.Marked() || unknown || s.discs == r.opening || s.discs == len(r.verdicts)
	})
	aside := s.variation != ""
	switch {
	case l.opened && dir > 0 && !aside:
		l.jump(g, -1)
	case l.back != nil && (!found || s.round < l.at.round):
		l.leave(g)
	default:
		l.to(g, s, aside)
		l.plays = aside
	}
}

// toggle makes the discs drop by themselves, or stops them. At the end, it starts from the beginning of the round or
// of the variation again.
func (l *look) toggle(g *Game) {
	plays := !l.plays
	if s := l.at; plays && l.atEnd() {
		if s.step = 0; !l.aside() {
			s.discs = l.shown().opening
		}
		l.to(g, s, false)
	}
	l.plays, l.dropped = plays, g.now.Add(min(0, lookEvery-l.pause(g))) // everybody has read why the last disc has a mark
}

func (l *look) aside() bool { return l.at.variation != "" }

// atEnd reports whether nothing follows: in the variation that is shown or, without one, in the match.
func (l *look) atEnd() bool {
	if l.aside() {
		return l.at.step == len(l.why().Line)
	}
	return l.roundEnds() && l.at.round == len(l.rounds)-1
}

func (l *look) roundEnds() bool { return l.at.discs == len(l.shown().verdicts) }

// pause returns how long what is shown stays before the next disc drops by itself.
func (l *look) pause(g *Game) time.Duration {
	every := asideEvery(len(l.why().Line))
	switch {
	case l.aside() && l.at.step > 0 && every < lookEvery: // a voice says only its end
		return every
	case !l.aside() && l.roundEnds():
		return l.landing().rested.Add(g.lasts(lookEnd)).Sub(l.dropped)
	case !l.aside() && l.verdict().Marked():
		return g.lasts(lookMark)
	}
	return g.lasts(lookEvery)
}

// asideEvery returns the time from one disc of a variation to the next. Of 39 discs, each falls to its end.
func asideEvery(discs int) time.Duration {
	return min(lookEvery, lookAside/time.Duration(max(1, discs)))
}

// next drops the next disc by itself, until the end.
func (l *look) next(g *Game) (at time.Time, change func(*Game)) {
	if l.plays {
		at = l.dropped.Add(l.pause(g))
	}
	return at, func(g *Game) { l.plays = l.walk(g, +1) && !l.atEnd() }
}

// ask asks for the verdicts of the round, unless they are known or cannot be. Verdicts arrive for the
// last disc first. If some are missing, ask asks for all, because the end of a round decides which of
// its discs have a mark.
func (l *look) ask(g *Game) {
	r := l.shown()
	if r.reviewed || !l.exact() || len(r.verdicts) == r.opening || r.verdicts[r.opening].Known {
		return
	}
	g.ask(Question{Kind: Review, Game: r.game, Opening: r.opening})
}

func (l *look) answer(_ *Game, ev Answered) {
	r := l.shown()
	switch {
	case !ev.More:
		r.reviewed = true // the remaining discs get no verdict
	case ev.Ply >= 0 && ev.Ply < len(r.verdicts) && r.verdicts[ev.Ply] != ev.Verdict:
		if r.verdicts[ev.Ply] = ev.Verdict; ev.Ply == l.at.discs-1 {
			l.at = l.at.disc() // its variations are others
		}
	}
}

// show shows the round so far. A last disc with a mark is dim, and the cells that matter are green;
// above any other is the next disc, and the columns' scores for that disc's player. The
// discs of a variation are dim, but not in a line that wins.
func (l *look) show(_ *Game, p *picture) {
	r, v, at := l.shown(), l.verdict(), l.at
	game, before := l.game()
	p.Phase, p.Record, p.Cursor = Looking, l.record, 0
	p.Match, p.Game, p.Counted = r.match, r.game, false
	if l.roundEnds() {
		p.Record = p.Count()
	} else {
		p.Game, p.Cursor = game, r.game.Move(at.discs)
	}
	p.Look = Look{
		Round: at.round + 1, Rounds: len(l.rounds), Discs: len(r.verdicts),
		Last: v, Next: r.of(at.discs + 1), Plays: l.plays, Exact: l.exact(), Only: l.back == nil,
		Lost:      slices.IndexFunc(r.verdicts, func(v Verdict) bool { return v.Decided }) + 1,
		Variation: at.variation, Step: at.step,
	}

	f, last := &p.Frame, l.landing()
	last.draw(p)
	position := last.game.Position()
	rules := position.Rules()
	switch {
	case l.aside():
		var round Frame
		drawDiscs(&round, &before)
		lines := position.Lines()
		for i, led := range f {
			if led != round[i] && !lines.Has(i%side, side-1-i/side) {
				f[i] = led.Dimmed()
			}
		}
		drawCells(f, position, l.why().Cells, LEDWins)
	case v.Marked():
		if col, row, ok := last.game.Last(); ok && !p.before(last.rested) {
			f[cell(col, row)] = f[cell(col, row)].Dimmed()
		}
		drawCells(f, position, v.matter(), LEDWins)
	case !l.roundEnds() && hintRow(rules):
		f[p.Cursor] = discLED(rules, position.Turn())
		next := p.Look.Next
		for col := range position.LegalMoves() {
			led := scoreLED(int(next.Worth[col]), next.Known)
			if next.Known && next.Before < 0 && next.Worth[col] == next.Before { // every column loses, and this one last
				led = discLED(rules, position.Turn()).Dimmed()
			}
			if l.exact() && led != LEDDark { // dark would hide a falling disc
				f[8*hintY+col] = led
			}
		}
	}
}

// matter returns the cells that decide: those of the remark, where the opponent wins, or where the disc's own
// player would have won.
func (v Verdict) matter() Cells {
	switch {
	case v.Cells != 0:
		return v.Cells
	case v.After < 0 && v.Why.Cells != 0:
		return v.Why.Cells
	}
	return v.Better.Cells
}
