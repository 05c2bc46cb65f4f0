package session

import (
	"context"
	"errors"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// input is an event, its source, and where to send the answer.
type input struct {
	event  game.Event
	from   game.Source
	answer chan answer // buffered, so sending never blocks; nil: nobody waits for it
	shown  uint64      // the number of a view that the source has read
}

type answer struct {
	view *game.View
	err  error
}

// loop handles one event after the other, until the game stops. There is no regular tick: between
// two events it sleeps until the moment that [game.Game.Next] returns, or without a limit if Next
// returns none.
func (l *Local) loop() error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var saved <-chan game.Saved
	if l.Keeper != nil {
		saved = l.Keeper.Saved()
	}
	var next time.Time
	for {
		in := input{event: game.Tick{}}
		select {
		case <-l.ctx.Done():
			return context.Cause(l.ctx)
		case <-timer.C:
			l.saving = 0 // an instant clock has waited for the disk
			if next.After(l.at) {
				l.at = next
			}
		case in = <-l.inputs:
		case in.event = <-saved:
		}
		now := l.at
		if !l.Instant {
			now = time.Now()
		}
		if l.step(in, now) {
			return nil
		}
		var wakes bool
		next, wakes = l.state.Next(now)
		wait := next.Sub(now)
		if l.Instant {
			wait, wakes = 0, wakes && l.passes()
			if l.saving > 0 {
				wait = time.Second // as long as the game waits for a disk
			}
		}
		if wakes {
			timer.Reset(wait)
		} else {
			timer.Stop()
		}
	}
}

// step handles an event, and reports whether the game stops.
func (l *Local) step(in input, now time.Time) (stop bool) {
	if in.answer != nil {
		defer close(in.answer)
	}
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
	l.shown = max(l.shown, in.shown)
	refused := l.apply(l.state.StepFrom(now, in.event, in.from))
	l.publish(l.state.View(now))
	if in.answer != nil {
		in.answer <- answer{l.view, refused}
	}
	return l.view.Phase == game.Over
}

// publish numbers a view that is new, and wakes the readers.
func (l *Local) publish(v game.View) {
	if l.Instant {
		v.Frame = game.Frame{}
	}
	if v == l.bare && l.view.Number > 0 {
		return
	}
	l.bare = v
	next := words.With(v)
	next.Number = l.view.Number + 1
	l.mu.Lock()
	defer l.mu.Unlock()
	l.view = &next
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
