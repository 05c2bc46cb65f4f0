// Package replay is a panel that plays a finished match again, disc by disc.
package replay

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
)

const (
	discEvery = 700 * time.Millisecond // from aiming to the next disc
	keyEvery  = 300 * time.Millisecond // a held key drops no faster: the game refuses more
	endAfter  = 3 * time.Second        // the picture of an abandoned match stays this long
)

// Panel drops the discs of a match by itself and shows them on a screen, whose keys stop,
// resume and hurry it. It is a [loop.Panel].
type Panel struct {
	// Screen shows the match and has the keys. Set it before the panel runs.
	Screen loop.Panel

	record game.Record
	rounds []string // the moves of each

	shown chan game.View // the latest
	keys  chan input     // nil until Next is called

	// Of the goroutine that calls Next.
	view  game.View
	timer *time.Timer // of the next disc
	keyed time.Time   // the last key that dropped one

	paused atomic.Bool
}

type input struct {
	event game.Event
	err   error
}

// New returns the panel that replays a match. The game under it starts as [Start] says.
func New(r game.Record) *Panel {
	return &Panel{
		record: r,
		rounds: r.Rounds(),
		shown:  make(chan game.View, 1),
	}
}

// Start returns the game at the start of a match, after its opening.
func Start(r game.Record, now time.Time) (game.State, error) {
	m, err := board.NewMatch(r.Match.Rules(), r.Match.Target(), r.Match.First(), r.Match.Seed())
	if err != nil {
		return game.State{}, err
	}
	first := r.Rounds()[0]
	g, err := board.ParseGame(m.Rules(), m.Starter(), first[:r.Opening])
	if err != nil {
		return game.State{}, err
	}
	// The record has the rules. The match has no computer: its moves are known.
	c := game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}}
	return game.Resume(c, game.Record{ID: r.ID, Match: m, Game: g, Opening: r.Opening}, now)
}

// Help says which keys do what.
func (p *Panel) Help(*game.View) [2]string {
	if p.paused.Load() {
		return [2]string{"paused", "p resume  space next disc  q quit"}
	}
	return [2]string{"a finished match", "p pause  space next disc  q quit"}
}

// Show shows the view, with the computer if it played.
func (p *Panel) Show(v game.View, _ bool) error {
	select {
	case <-p.shown:
	default:
	}
	p.shown <- v
	return p.show(v)
}

func (p *Panel) show(v game.View) error {
	v.Computer, v.Level = p.record.Computer, p.record.Level
	return p.Screen.Show(v, false)
}

// Next waits until the next disc is due or a key asks for it.
func (p *Panel) Next(ctx context.Context) (game.Event, error) {
	if p.keys == nil {
		p.keys = make(chan input)
		p.timer = time.NewTimer(discEvery)
		go p.listen(ctx)
	}
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case v := <-p.shown:
			if v.Phase == game.Aim && (v.Game != p.view.Game || p.view.Phase != game.Aim) {
				p.view = v
				p.aim()
			}
			p.view = v
		case <-p.timer.C:
			if p.view.Phase == game.Aim && !p.paused.Load() {
				p.aim() // in case the game refuses the disc
				return p.disc(), nil
			}
		case in := <-p.keys:
			if in.err != nil {
				return nil, in.err
			}
			if ev := p.key(in.event); ev != nil {
				return ev, nil
			}
		}
	}
}

func (p *Panel) listen(ctx context.Context) {
	for {
		ev, err := p.Screen.Next(ctx)
		select {
		case p.keys <- input{ev, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// key returns the event of a key, nil if it has none.
func (p *Panel) key(ev game.Event) game.Event {
	switch ev := ev.(type) {
	case game.Quit:
		return ev
	case game.Command:
		if ev == game.Pause {
			p.toggle()
		}
	case game.Column:
		return p.hurry()
	case game.Press:
		switch ev.Key {
		case game.Up:
			p.toggle()
		case game.Right, game.Down, game.Middle:
			return p.hurry()
		}
	}
	return nil
}

// toggle pauses or resumes.
func (p *Panel) toggle() {
	p.paused.Store(!p.paused.Load())
	p.aim()
	_ = p.show(p.view) // with other help; the next view reports errors
}

// aim sets the timer for the next disc.
func (p *Panel) aim() {
	wait := discEvery
	if _, ok := p.next(); !ok {
		wait = endAfter
	}
	p.timer.Reset(wait)
}

// hurry returns the event of the next disc, nil if the last key was a moment ago.
func (p *Panel) hurry() game.Event {
	now := time.Now()
	if now.Sub(p.keyed) < keyEvery {
		return nil
	}
	p.keyed = now
	return p.disc()
}

// disc returns the event of the next disc, of the key that skips to it, or of the end of an
// abandoned match.
func (p *Panel) disc() game.Event {
	if p.view.Phase != game.Aim {
		return game.Press{Key: game.Middle}
	}
	col, ok := p.next()
	if !ok {
		return game.Quit{}
	}
	return game.Column{Col: col}
}

// next returns the column of the next disc; ok is false at the end of an abandoned match.
func (p *Panel) next() (col int, ok bool) {
	round, position := p.view.Match.Played(), p.view.Game.Position()
	if round >= len(p.rounds) || position.Ply() >= len(p.rounds[round]) {
		return 0, false
	}
	return int(p.rounds[round][position.Ply()] - '1'), true
}
