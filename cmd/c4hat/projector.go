package main

import (
	"context"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
)

func replayHelp(*game.View) [2]string {
	return [2]string{"space next disc  p stop, go on", "q quit"}
}

// between is how long a disc of a match that is shown once more is aimed.
const between = 700 * time.Millisecond

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
	still bool        // stopped by whoever looks on
}

type input struct {
	event game.Event
	err   error
}

func newProjector(screen loop.Panel, r game.Record) *projector {
	return &projector{
		screen: screen, computer: r.Computer, level: r.Level,
		rounds: append(r.Match.Games(), r.Game.String()),
		shown:  make(chan game.View, 1),
	}
}

// Show shows the view, with the computer where it played.
func (p *projector) Show(v game.View, again bool) error {
	select {
	case <-p.shown:
	default:
	}
	p.shown <- v
	v.Computer, v.Level = p.computer, p.level
	return p.screen.Show(v, again)
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
			if v.Phase == game.Aim && (v.Game != p.view.Game || p.view.Phase != game.Aim) && !p.still {
				p.timer.Reset(between)
			}
			p.view = v
		case <-p.timer.C:
			if p.view.Phase == game.Aim && !p.still {
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
		return p.disc()
	case game.Press:
		switch ev.Key {
		case game.Up:
			p.stop()
		case game.Right, game.Down, game.Middle:
			return p.disc()
		}
	}
	return nil
}

// stop stops, or goes on.
func (p *projector) stop() {
	p.still = !p.still
	if !p.still {
		p.timer.Reset(between)
	}
}

// disc is the next disc, or what skips to it. Where the match was given up there
// is none, and the end.
func (p *projector) disc() game.Event {
	if p.view.Phase != game.Aim {
		return game.Press{Key: game.Middle}
	}
	round, position := p.view.Match.Rounds(), p.view.Game.Position()
	if round >= len(p.rounds) || position.Ply() >= len(p.rounds[round]) {
		return game.Quit{}
	}
	return game.Column{Col: int(p.rounds[round][position.Ply()] - '1')}
}
