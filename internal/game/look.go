package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
)

// Variation says which variation of a disc with a mark is shown, by the name of its
// field in the disc's [Verdict].
type Variation string

const (
	Refutation  Variation = "why"    // what follows the disc
	Improvement Variation = "better" // what would have been better
)

// lookBack shows the last round that has ended of the last match or, amid a match, of this match, starting
// at the round's end. If none has ended it shows the first round.
func (t *step) lookBack(amid bool) {
	r := t.last
	if amid {
		r = t.record
	}
	if r.ID == "" {
		t.blink(Notice{Kind: NoticeNoMatch})
		return
	}
	if t.look.record != r {
		t.lookAt(r)
	}
	t.look.amid = amid
	round := t.look.rounds - 1
	if round > 0 && round == r.Match.Played() && r.Game.Position().Outcome() == board.Playing {
		round-- // which has ended
	}
	t.openRound(round)
	t.look.show(t.look.discs(), time.Time{})
	t.look.opened = true
	t.enter(Looking)
}

// leaveLook returns to the menu or to the end of the round.
func (t *step) leaveLook() {
	t.effects = append(t.effects, Rest{})
	switch {
	case !t.look.amid:
		t.enter(Menu)
		return
	case t.position().Outcome() == board.Draw:
		t.enter(Drawn)
	default:
		t.enter(Cheer)
	}
	t.since, t.touched = t.now.Add(-endShown), t.now.Add(-keysRest) // everybody has seen it: no key is hasty
}

// lookAt sets the match to look back at. It leaves out a last round without discs.
func (t *step) lookAt(r Record) {
	t.look = look{record: r, rounds: len(r.Rounds())}
	if n := t.look.rounds; n > 1 && r.Rounds()[n-1] == "" {
		t.look.rounds--
	}
}

// openRound shows a round as it was before its first disc.
func (t *step) openRound(round int) {
	l := &t.look
	if l.round == round && l.discs() > 0 { // its verdicts are kept
		l.show(l.opening(), l.moved)
		return
	}
	l.round, l.whole = round, l.record
	for m, g := range l.record.Replay() {
		l.match, l.whole.Game = m, g
		if m.Played() == round {
			break
		}
	}
	l.whole.Match, l.whole.Counted = l.match, false
	l.whole = l.whole.Count()
	l.show(l.opening(), l.moved)
	l.verdicts, l.reviewed = nil, false
	t.forget()
}

// show shows so many discs of the round. The last of them was dropped at moved.
func (l *look) show(at int, moved time.Time) {
	l.at, l.moved, l.told, l.aside, l.step, l.opened = at, moved, 0, false, 0, false
}

func (l *look) discs() int { return l.whole.Game.Position().Ply() }

// opening returns how many discs were on the board before the round.
func (l *look) opening() int { return l.record.OpeningOf(l.round) }

// exact reports whether verdicts are available: with four in a line.
func (l *look) exact() bool { return l.record.Match.Rules().Connect == board.Standard.Connect }

// shown returns the round up to the last disc that is shown.
func (l *look) shown() board.Game {
	g := l.whole.Game
	for range l.discs() - l.at {
		_ = g.Undo() // the game has that many discs
	}
	return g
}

// verdict returns the verdict on the disc at a ply, if it is known.
func (l *look) verdict(ply int) Verdict {
	if ply < 0 || ply >= l.discs() || l.verdicts == nil {
		return Verdict{}
	}
	return l.verdicts[ply]
}

// lost returns the disc, from 1, after which the round's loser could not save it, or 0 if none is known.
func (l *look) lost() int {
	for ply := range l.discs() {
		if l.verdicts != nil && l.verdicts[ply].Decided {
			return ply + 1
		}
	}
	return 0
}

// variation returns the variation that is shown, and the game before it.
func (l *look) variation() (Variation, Why, board.Game) {
	g, v := l.shown(), l.verdict(l.at-1)
	switch {
	case !l.aside:
		return "", Why{}, g
	case l.told == 1:
		return Refutation, v.Why, g
	}
	_ = g.Undo() // the last disc
	return Improvement, v.Better, g
}

// tell plays the next variation of a last disc with a mark, if there is one.
func (t *step) tell() bool {
	l := &t.look
	for l.verdict(l.at-1).Marked() && l.told < 2 {
		l.told++
		l.aside, l.step, l.opened = true, 0, false
		if _, w, _ := l.variation(); w.Line != "" {
			l.plays, l.moved = true, t.now
			return true
		}
	}
	l.aside = false
	return false
}

// leaveVariation shows the round again.
func (l *look) leaveVariation() { l.aside, l.step, l.plays, l.moved = false, 0, false, time.Time{} }

// review asks for the verdicts of the round, unless they are known or cannot be. Verdicts arrive for the
// last disc first. If some are missing, review asks for all, because the end of a round decides which of
// its discs have a mark.
func (t *step) review() {
	l := &t.look
	if l.reviewed || !l.exact() || l.discs() == l.opening() || l.verdict(l.opening()).Known {
		return
	}
	t.effects = append(t.effects, Review{t.question(), l.whole.Game, l.opening()})
}

func (t *step) judge(ply int, v Verdict) {
	if ply >= 0 && ply < t.look.discs() {
		next := new(verdicts)
		if t.look.verdicts != nil {
			*next = *t.look.verdicts
		}
		next[ply], t.look.verdicts = v, next
	}
}

// playLook makes the discs drop by themselves, or stops them. At the end of the match, it starts
// from the beginning again.
func (t *step) playLook() {
	l := &t.look
	l.plays = !l.plays
	l.moved = t.now.Add(lookEvery - t.lookPause()) // everybody has read why the last disc has a mark
	switch {
	case !l.plays || !l.atEnd():
	case l.aside:
		l.step = 0
	case l.alone:
		t.openRound(0)
	default:
		l.show(l.opening(), l.moved)
	}
}

// lookPause returns how long the last disc is shown before the next drops by itself.
func (s *State) lookPause() time.Duration {
	switch {
	case s.look.aside || !s.look.verdict(s.look.at-1).Marked():
		return lookEvery
	case s.voices > 0:
		return heardTime
	}
	return lookMark
}

// atEnd reports whether nothing follows: in the variation that is shown or, without one, in the match.
func (l *look) atEnd() bool {
	if _, w, _ := l.variation(); l.aside {
		return l.step == len(w.Line)
	}
	return l.at == l.discs() && l.round == l.rounds-1
}

// stepLook shows one more disc or one fewer, or goes to the next round or the previous one.
func (t *step) stepLook(dir int, hold bool) {
	l, moved := &t.look, time.Time{}
	if dir > 0 {
		moved = t.now
	}
	switch {
	case l.aside && l.step+dir < 0:
		l.leaveVariation()
	case l.aside && (dir < 0 || !l.atEnd()):
		l.step, l.moved = l.step+dir, moved
	case l.aside:
		t.noteEdge(dir, hold)
	case dir > 0 && l.at < l.discs(), dir < 0 && l.at > l.opening():
		l.show(l.at+dir, moved)
	case dir > 0 && l.round < l.rounds-1:
		t.openRound(l.round + 1)
	case dir < 0 && l.round > 0:
		t.openRound(l.round - 1)
		l.show(l.discs(), moved)
	default:
		t.noteEdge(dir, hold)
	}
}

// toMark goes to the nearest disc that has a mark or has no verdict yet, or to the end or the opening of
// the round. From the end it goes to the next round. After the last round and before the opening it
// leaves; but if the program shows only this match, it goes to the end of the round before. At a disc
// with a mark, its variations come before the next disc, and the way back leads from a variation to the
// disc. Where a look back begins, both ways lead to the last mark.
func (t *step) toMark(dir int) {
	l := &t.look
	if dir > 0 && t.tell() {
		return
	}
	if l.opened {
		dir = -1
	}
	back := dir < 0 && l.aside
	if l.leaveVariation(); back {
		return
	}
	for at := l.at + dir; at > l.opening() && at <= l.discs(); at += dir {
		if v := l.verdict(at - 1); v.Marked() || l.exact() && !v.Known && !l.reviewed {
			l.show(at, l.moved)
			return
		}
	}
	switch {
	case dir > 0 && l.at < l.discs():
		l.show(l.discs(), l.moved)
	case dir < 0 && l.at > l.opening():
		l.show(l.opening(), l.moved)
	case dir < 0 && l.round > 0 && l.alone:
		t.openRound(l.round - 1)
		l.show(l.discs(), l.moved)
	case dir > 0 && l.round < l.rounds-1:
		t.openRound(l.round + 1)
	case !l.alone:
		t.leaveLook()
	}
}

// passLook drops the next disc by itself, or returns from a variation.
func (t *step) passLook() {
	switch {
	case !t.look.atEnd():
		t.stepLook(+1, true)
		t.look.moved = t.now
	case t.look.aside:
		t.look.leaveVariation()
	default:
		t.look.plays = false
	}
}
