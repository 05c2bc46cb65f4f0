package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
)

// lookBack shows the last round of the last match, starting at its end.
func (t *step) lookBack() {
	if t.last.ID == "" {
		t.blink(Notice{Kind: NoticeNoMatch})
		return
	}
	if t.look.record.ID != t.last.ID { // otherwise its verdicts are kept
		t.lookAt(t.last)
		t.openRound(t.look.rounds - 1)
	}
	t.look.at = t.look.discs()
	t.look.moved = time.Time{}
	t.enter(Looking)
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
		l.at = l.opening()
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
	l.at = l.opening()
	l.verdicts, l.reviewed = [board.MaxCells]Verdict{}, false
	t.forget()
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
	if ply < 0 || ply >= l.discs() {
		return Verdict{}
	}
	return l.verdicts[ply]
}

// review asks for the missing verdicts. Verdicts arrive for the last disc first, so the known ones
// are at the end of the round.
func (t *step) review() {
	l := &t.look
	if l.reviewed || !l.exact() {
		return
	}
	g := l.whole.Game
	for ply := l.discs() - 1; ply >= l.opening() && l.verdicts[ply].Known; ply-- {
		_ = g.Undo()
	}
	if g.Position().Ply() > l.opening() {
		t.effects = append(t.effects, Review{t.question(), g, l.opening()})
	}
}

func (t *step) judge(ply int, v Verdict) {
	if ply >= 0 && ply < t.look.discs() {
		t.look.verdicts[ply] = v
	}
}

// playLook makes the discs drop by themselves, or stops them. At the end of the match, it starts
// from the beginning again.
func (t *step) playLook() {
	l := &t.look
	l.plays = !l.plays
	l.moved = t.now
	if l.plays && l.atEnd() {
		if l.alone {
			t.openRound(0)
		}
		l.at = l.opening()
	}
}

func (l *look) atEnd() bool { return l.at == l.discs() && l.round == l.rounds-1 }

// stepLook shows one more disc or one fewer, or goes to the next round or the previous one.
func (t *step) stepLook(dir int) {
	l := &t.look
	switch {
	case dir > 0 && l.at < l.discs():
		l.at++
		l.moved = t.now
	case dir > 0 && l.round < l.rounds-1:
		t.openRound(l.round + 1)
	case dir < 0 && l.at > l.opening():
		l.at--
		l.moved = time.Time{}
	case dir < 0 && l.round > 0 && l.alone:
		t.openRound(l.round - 1)
		l.at = l.discs()
		l.moved = time.Time{}
	}
}

// toMark goes to the nearest disc that changed the outcome or has no verdict yet, or forwards to the
// end of the round. From there, or backwards, it returns to the menu or, if the program shows only
// this match, to the opening.
func (t *step) toMark(dir int) {
	l := &t.look
	l.plays, l.moved = false, time.Time{}
	for at := l.at + dir; at > l.opening() && at <= l.discs(); at += dir {
		if v := l.verdict(at - 1); v.Marked() || l.exact() && !v.Known && !l.reviewed {
			l.at = at
			return
		}
	}
	switch {
	case dir > 0 && l.at < l.discs():
		l.at = l.discs()
	case !l.alone:
		t.effects = append(t.effects, Rest{})
		t.enter(Menu)
	case dir < 0:
		l.at = l.opening()
	}
}

// passLook drops the next disc by itself, or ends a replay that nobody touched.
func (t *step) passLook() {
	switch {
	case !t.look.atEnd():
		t.stepLook(+1)
		t.look.moved = t.now
	case t.look.alone && t.touched == t.since:
		t.endMatch()
	default:
		t.look.plays = false
	}
}
