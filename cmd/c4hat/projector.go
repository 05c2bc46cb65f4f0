package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
)

// How a match is shown once more.
const (
	between = 700 * time.Millisecond // a disc is aimed so long
	hurried = 300 * time.Millisecond // a key that is held gives a disc so often: more the game refuses
	lastly  = 3 * time.Second        // the picture stays where the match was given up
)

// projector is a panel that plays a match's discs by itself.
type projector struct {
	screen   loop.Panel
	computer board.Disc
	level    int
	rounds   []string // the moves of each

	shown chan game.View // the latest
	keys  chan input     // nil until somebody listens

	// Of the goroutine that listens.
	view  game.View
	timer *time.Timer // of the next disc
	keyed time.Time   // the last key that gave one

	still atomic.Bool // stopped by whoever looks on
}

type input struct {
	event game.Event
	err   error
}

// newProjector gives a projector; its screen is set before it runs.
func newProjector(r game.Record) *projector {
	return &projector{
		computer: r.Computer, level: r.Level,
		rounds: append(r.Match.Games(), r.Game.String()),
		shown:  make(chan game.View, 1),
	}
}

// help says which keys do what, and whether it stands.
func (p *projector) help(*game.View) [2]string {
	if p.still.Load() {
		return [2]string{"stopped", "p goes on  space next disc  q quit"}
	}
	return [2]string{"a match that is over", "p stops  space next disc  q quit"}
}

// Show shows the view, with the computer where it played.
func (p *projector) Show(v game.View, _ bool) error {
	select {
	case <-p.shown:
	default:
	}
	p.shown <- v
	return p.show(v)
}

func (p *projector) show(v game.View) error {
	v.Computer, v.Level = p.computer, p.level
	return p.screen.Show(v, false)
}

// Next waits until the next disc is due or somebody asks for it.
func (p *projector) Next(ctx context.Context) (game.Event, error) {
	if p.keys == nil {
		p.keys = make(chan input)
		p.timer = time.NewTimer(between)
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
			if p.view.Phase == game.Aim && !p.still.Load() {
				p.aim() // once more, should the game refuse it
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

func (p *projector) listen(ctx context.Context) {
	for {
		ev, err := p.screen.Next(ctx)
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

// key tells what a key means here; nil where it means nothing.
func (p *projector) key(ev game.Event) game.Event {
	switch ev := ev.(type) {
	case game.Quit:
		return ev
	case game.Command:
		if ev == game.Pause {
			p.stop()
		}
	case game.Column:
		return p.hurry()
	case game.Press:
		switch ev.Key {
		case game.Up:
			p.stop()
		case game.Right, game.Down, game.Middle:
			return p.hurry()
		}
	}
	return nil
}

// stop stops, or goes on.
func (p *projector) stop() {
	p.still.Store(!p.still.Load())
	p.aim()
	_ = p.show(p.view) // with other help; the next view would say what is wrong
}

// aim sets the timer for the next disc.
func (p *projector) aim() {
	wait := between
	if _, ok := p.next(); !ok {
		wait = lastly
	}
	p.timer.Reset(wait)
}

// hurry is the next disc for somebody who wants it now; nil if that was a moment
// ago.
func (p *projector) hurry() game.Event {
	now := time.Now()
	if now.Sub(p.keyed) < hurried {
		return nil
	}
	p.keyed = now
	return p.disc()
}

// disc is the next disc, or what skips to it. Where the match was given up there
// is none, and the end.
func (p *projector) disc() game.Event {
	if p.view.Phase != game.Aim {
		return game.Press{Key: game.Middle}
	}
	col, ok := p.next()
	if !ok {
		return game.Quit{}
	}
	return game.Column{Col: col}
}

// next is the column of the next disc; ok is false where the match was given up.
func (p *projector) next() (col int, ok bool) {
	round, position := p.view.Match.Played(), p.view.Game.Position()
	if round >= len(p.rounds) || position.Ply() >= len(p.rounds[round]) {
		return 0, false
	}
	return int(p.rounds[round][position.Ply()] - '1'), true
}
