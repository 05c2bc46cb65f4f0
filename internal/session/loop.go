package session

import (
	"context"
	"errors"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// input is an event and its source.
type input struct {
	event game.Event
	from  game.Source
	shown uint64 // the number of a view that the source has read
}

// do steps the game, in the goroutine that calls it: a press wakes only those that show the game.
// It returns the view after the event, also if that is refused.
func (l *Local) do(ctx context.Context, in input) (v game.View, err error) {
	select {
	case <-l.begun:
	case <-ctx.Done():
		return v, ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return v, ErrEnded
	}
	var refused error
	if fault := Guard(func() error { refused = l.step(in); return nil }); fault != nil {
		l.end(fault)
		return v, ErrEnded
	}
	return l.view, refused
}

// end ends the game, with the lock.
func (l *Local) end(err error) {
	if !l.over {
		l.over, l.err = true, err
		l.timer.Stop()
		close(l.ended)
	}
}

// loop handles what happens by itself, until the game ends. There is no regular tick: the timer rings at the moment
// that [game.Game.Next] returned, or never if it returned none.
func (l *Local) loop() {
	var saves <-chan game.Saved
	if l.Keeper != nil {
		saves = l.Keeper.Saved()
	}
	for in := (input{event: game.Tick{}}); ; {
		_, _ = l.do(l.ctx, in)
		select {
		case <-l.ctx.Done():
			l.mu.Lock()
			l.end(context.Cause(l.ctx))
			l.mu.Unlock()
			return
		case <-l.ended:
			return
		case <-l.timer.C:
			in = input{event: game.Tick{}}
		case saved := <-saves:
			in = input{event: saved}
		}
	}
}

// step handles an event, and returns the error of a refused one.
func (l *Local) step(in input) (refused error) {
	switch ev := in.event.(type) {
	case game.Answered:
		if ev.ID == l.asked && !ev.More {
			l.asked = 0
		}
	case game.Saved:
		if ev.ID >= l.saving {
			l.saving = 0
		}
	}
	now := time.Now()
	if l.Instant {
		if !l.rings.IsZero() && !now.Before(l.rings) { // it has also waited for the disk
			l.saving = 0
			l.at, _ = l.state.Next(l.at)
		}
		now = l.at
	}
	l.shown = max(l.shown, in.shown)
	refused = l.apply(l.state.StepFrom(now, in.event, in.from))
	l.publish(l.state.View(now))
	if l.view.Phase == game.Over {
		l.end(nil)
		return refused
	}
	next, wakes := l.state.Next(now)
	wait := next.Sub(now)
	if l.Instant {
		wait, wakes = 0, wakes && l.passes()
		if l.saving > 0 {
			wait = time.Second // as long as the game waits for a disk
		}
	}
	if wakes {
		l.rings = time.Now().Add(wait)
		l.timer.Reset(wait)
	} else {
		l.rings = time.Time{}
		l.timer.Stop()
	}
	return refused
}

// publish numbers a view that is new, and wakes the readers.
func (l *Local) publish(v game.View) {
	if l.Instant {
		v.Frame = game.Frame{}
	}
	if v.Number = l.view.Number; v == l.view && v.Number > 0 {
		return
	}
	l.view = v
	l.view.Number++
	close(l.newer)
	l.newer = make(chan struct{})
}

// passes reports whether time passes in an instant game: while a phase ends by itself, but not while the computer
// thinks, and not before somebody has read the last view.
func (l *Local) passes() bool {
	p := l.view.Phase // in others a cursor may blink
	return (p == game.Thinking || p == game.Fall || p.Ends() || p == game.Hinting) && l.asked == 0 && l.shown == l.view.Number
}

// apply carries out effects. It returns the error of a refused event.
func (l *Local) apply(effects []game.Effect) (refused error) {
	for _, e := range effects {
		switch e := e.(type) {
		case game.Save:
			if l.Keeper != nil {
				l.saving = e.ID
				l.Keeper.Save(e)
			}
		case game.Finish:
			if l.Keeper != nil {
				l.Keeper.Finish(e.Record)
			}
		case game.Question:
			l.ask(e)
		case game.Forget:
			l.forget()
		case game.Rest:
			if l.Computer != nil {
				l.let(l.Computer.Rest)
			}
		case game.Refused:
			refused = e.Err
		}
	}
	return refused
}

// ask cancels the last question and asks q instead: the game has only one open question at a time.
func (l *Local) ask(q game.Question) {
	l.forget()
	var ctx context.Context
	ctx, l.unask = context.WithCancel(l.ctx)
	l.asked = q.ID
	l.let(func() {
		answer, err := game.Answered{}, errors.ErrUnsupported
		if l.Computer != nil && ctx.Err() == nil {
			answer, err = l.Computer.Answer(ctx, q, func(ev game.Event) { _, _ = l.do(ctx, input{event: ev}) })
		}
		if ctx.Err() != nil { // cancelled
			return
		}
		if err != nil {
			answer = game.Answered{ID: q.ID, Failed: true}
			if l.Failed != nil {
				l.Failed(err)
			}
		}
		_, _ = l.do(ctx, input{event: answer})
	})
}

// forget cancels the last question.
func (l *Local) forget() {
	l.unask()
	l.asked = 0
}

// let lets the computer do something as soon as it is free, instead of what it was to do then. However many
// questions are asked and cancelled, they take the processor time and memory of only one.
func (l *Local) let(f func()) {
	select {
	case <-l.work:
	default:
	}
	l.work <- f
}

// compute does the computer's work until the game ends.
func (l *Local) compute() error {
	for {
		select {
		case f := <-l.work:
			f()
		case <-l.ctx.Done():
			return nil
		}
	}
}
