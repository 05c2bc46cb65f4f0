package link

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/socket"
	"github.com/c4hat/c4hat/internal/words"
)

// decide takes the next step, if one is needed. It is called after every event, and relies only on
// what the two services show.
func (l *Link) decide() {
	h, t := &l.here, &l.there
	switch {
	case !h.up && h.tries > 0:
		l.say("the service here has stopped: waiting for it")
		t.tell(true)
	case h.up && !t.up && t.tries > 0:
		if t.tries == 1 { // after that, lost tells the reason
			l.say("the connection to %s is lost: trying again", l.Host)
		}
		h.tell(true)
	case !h.up || !t.up: // a service has not answered yet
	case h.match != "":
		l.carry()
	default:
		l.pair()
	}
}

// pair links the matches under way, or starts a match where there is none.
func (l *Link) pair() {
	h, t := &l.here, &l.there
	if !h.ready() || !t.ready() {
		return
	}
	switch l.force {
	case 2:
		l.start(h, l.Match)
		return
	case 1:
		l.start(t, l.request(h.view.Record, true))
		return
	}
	for _, s := range []*side{h, t} {
		if s.view.UnderWay && s.view.Computer != board.Empty {
			l.cannot("the match %s is against the computer: end it, or replace it with --force", s.name)
			return
		}
	}
	switch {
	case h.view.UnderWay && t.view.UnderWay:
		if _, _, err := compare(h.view.Record, t.view.Record); err != nil {
			l.cancel(conflict("a match is under way on both machines, and %w: end one of them, or replace both with --force", err))
			return
		}
		l.link()
	case h.view.UnderWay:
		l.adopt(h, t)
	case t.view.UnderWay:
		l.adopt(t, h)
	case !l.begun:
		l.start(h, l.Match)
	default:
		l.say("linked with %s: start a match on either HAT", l.Host)
	}
}

// cannot says why the matches cannot be linked. If no match has been linked yet, it ends the link.
// Otherwise somebody has just started a match that cannot be linked, and the link continues.
func (l *Link) cannot(format string, args ...any) {
	if !l.begun {
		l.cancel(conflict(format, args...))
		return
	}
	l.say(format, args...)
}

// adopt starts the match of one side on the other.
func (l *Link) adopt(from, to *side) {
	r := from.view.Record
	switch {
	case !l.begun && r.Discs() > 0, r.Match.Played() > 0:
		l.cannot("a match is under way %s (%s): end it, or replace it with --force", from.name, words.Terms(r))
	case r.Match.First() == board.FirstRandom && r.ID != from.started && r.Discs() == 0: // its seed is unknown here
		l.Match = l.request(r, true)
		l.Match.Seed = newSeed()
		l.force = 2
		l.pair()
	default:
		l.start(to, l.request(r, false))
	}
}

// request starts the match of a record, which must have only one round.
func (l *Link) request(r game.Record, force bool) game.Start {
	setup := game.Setup{Rules: r.Match.Rules(), Points: r.Match.Target(), First: r.Match.First(), Opening: r.Rounds()[0]}
	return game.Start{Setup: setup, Seed: l.Match.Seed, Force: force}
}

func (l *Link) start(s *side, m game.Start) {
	s.do(&s.busy, "", m, func(v game.View, err error) {
		switch {
		case err == nil:
			s.started = v.ID
			l.force = max(l.force-1, 0)
		case errors.Is(err, game.ErrUnderWay): // the stream will show that match
			s.again(v, err)
		case !l.begun:
			l.cancel(fmt.Errorf("%s: %w", s.name, err))
		default:
			l.say("%s: %v", s.name, err)
			s.rest(time.Second)
		}
	})
}

func (l *Link) link() {
	n := max(l.here.view.Discs(), l.there.view.Discs())
	for _, s := range []*side{&l.here, &l.there} {
		s.match, s.seen, s.settled = s.view.ID, n, 0
	}
	l.begun = true
	l.carry()
}

// carry keeps the two linked matches equal.
func (l *Link) carry() {
	h, t := &l.here, &l.there
	switch {
	case h.over() && t.over() && (h.gone() || t.gone()):
		l.unlink()
		return
	case h.gone():
		l.endAfter(h, t)
		return
	case t.gone():
		l.endAfter(t, h)
		return
	}
	missing, shorter, err := compare(h.view.Record, t.view.Record)
	if err != nil {
		l.cancel(conflict("the two matches contradict each other, and neither was changed: %w", err))
		return
	}
	if len(missing) == 0 && h.over() && t.over() {
		l.unlink()
		return
	}
	h.take()
	t.take()
	if h.token != "" && t.token != "" {
		l.say("linked with %s", l.Host)
		l.linked()
	}
	if len(missing) > 0 {
		s := []*side{h, t}[shorter]
		if err := s.may(missing); err != nil {
			l.cancel(err)
			return
		}
		s.drop(missing[0], s.view.Discs()+1)
		return
	}
	h.tell(t.rests())
	t.tell(h.rests())
	position := h.view.Game.Position()
	mover, other := h, t
	if position.Turn() != h.player {
		mover, other = t, h
	}
	if mover.view.Phase == game.Aim {
		other.point(mover.view.Cursor)
	}
}

// endAfter ends the match on the side left, because the match has ended on the side gone. If gone's
// service was restarted without the match, endAfter first reads its history. If the match is in the
// history, it was finished, and the other side lacks its last discs or its end. Otherwise that
// machine had saved no disc of the match: the other side's match is started there again, or ended
// if its first round is over.
func (l *Link) endAfter(gone, left *side) {
	switch {
	case gone.view.ID != "": // not restarted
		left.end()
		return
	case !gone.ready():
		return
	}
	var last game.Record
	gone.request(&gone.busy, "", func(ctx context.Context, c *socket.Client) error {
		past, err := c.Past(ctx, 1)
		for _, m := range past.Matches {
			last = m.Count()
		}
		return err
	}, func(err error) {
		switch {
		case err != nil:
			gone.rest(time.Second)
		case last.ID == gone.match:
			gone.past, gone.view.Record = last, last
		case left.view.Match.Played() > 0:
			left.end()
		default:
			gone.unlink()
			left.match = "" // the link keeps the seat in it
		}
	})
}

// unlink forgets the linked matches, and looks for the next ones.
func (l *Link) unlink() {
	l.here.unlink()
	l.there.unlink()
	l.pair()
}

// disc is the column of a disc, counted from 0, and its player.
type disc struct {
	col    int
	player board.Disc
}

// compare returns the discs that the shorter of two records of a match lacks, and which record
// is shorter: 0 is a, 1 is b. The error says how the two records contradict each other.
func compare(a, b game.Record) (missing []disc, shorter int, err error) {
	ma, mb := a.Match, b.Match
	switch {
	case ma.Rules() != mb.Rules():
		return nil, 0, fmt.Errorf("%v and %v are different games", ma.Rules(), mb.Rules())
	case ma.Target() != mb.Target():
		return nil, 0, fmt.Errorf("one match is %s, the other %s", words.Target(ma), words.Target(mb))
	case ma.First() != mb.First() || ma.First() == board.FirstRandom && ma.Seed() != mb.Seed():
		return nil, 0, fmt.Errorf("the rounds of the two matches begin differently")
	}
	da, db := discs(a), discs(b)
	both := min(len(da), len(db))
	for i := range both {
		if da[i] != db[i] {
			return nil, 0, fmt.Errorf("disc %d is in column %d in one match and in column %d in the other", i+1, da[i].col+1, db[i].col+1)
		}
	}
	if len(da) > both {
		return da[both:], 1, nil
	}
	return db[both:], 0, nil
}

func discs(r game.Record) (all []disc) {
	for m, g := range r.Replay() {
		player := m.Starter()
		for ply := range g.Position().Ply() {
			all = append(all, disc{g.Move(ply), player})
			player = player.Other()
		}
	}
	return all
}
