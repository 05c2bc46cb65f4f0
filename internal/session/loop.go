package session

import (
	"context"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// input is an event, its source, and where to send the answer, if its sender waits for one.
type input struct {
	event  game.Event
	from   game.Source
	answer chan<- answer // buffered, so sending never blocks
	closes bool          // the event answers the computer's question
}

type answer struct {
	view game.View
	err  error
}

// loop handles one event after the other, until the game stops. There is no regular tick: between
// two events it sleeps until the moment that [game.Game.Next] returns, or without a limit if Next
// returns none.
func (l *Local) loop() error {
	clock := newClock(l.Instant)
	defer clock.timer.Stop()
	var alive time.Time // the last call of Alive
	var saved <-chan game.Saved
	if l.Keeper != nil {
		saved = l.Keeper.Saved()
	}
	for {
		in := input{event: game.Tick{}}
		select {
		case <-l.ctx.Done():
			return context.Cause(l.ctx)
		case <-clock.timer.C:
			clock.pass()
			l.saving = 0 // an instant clock has waited for the disk
		case in = <-l.inputs:
			clock.event()
			l.open = l.open && !in.closes
		case answer := <-saved:
			in.event = answer
			if answer.ID >= l.saving {
				l.disk = time.Time{}
			}
		}
		now := clock.now()
		effects := l.state.StepFrom(now, in.event, in.from)

		if l.Every > 0 && now.Sub(alive) >= l.Every {
			alive = now
			if l.Alive != nil {
				l.Alive()
			}
		}
		view := l.readers.publish(l.state.View(now), l.Instant)
		if ready := l.Ready; ready != nil {
			l.Ready = nil
			ready()
		}
		stop, refused := l.apply(effects)
		if in.answer != nil {
			in.answer <- answer{view, refused}
		}
		if stop != nil {
			if stop.Interrupted {
				return ErrInterrupted
			}
			return nil
		}
		next, ok := l.due(now, alive)
		if l.Instant {
			ok = ok && flows(view.Phase) && !l.open && l.readers.count() > 0
		}
		clock.sleep(next, ok, l.disk)
	}
}

// due returns when the view next changes or Alive must be called, whichever is earlier, if there is
// such a moment.
func (l *Local) due(now, alive time.Time) (next time.Time, ok bool) {
	next, ok = l.state.Next(now)
	if due := alive.Add(l.Every); l.Every > 0 && (!ok || due.Before(next)) {
		return due, true
	}
	return next, ok
}

// apply carries out effects. It returns the Stop, if there is one, and the error of a refused
// event.
func (l *Local) apply(effects []game.Effect) (stop *game.Stop, refused error) {
	for _, e := range effects {
		switch e := e.(type) {
		case game.Save:
			if l.Keeper != nil {
				l.Keeper.Save(e)
				l.saving, l.disk = e.ID, time.Now().Add(diskTime)
			}
		case game.Finish:
			if l.Keeper != nil {
				l.Keeper.Finish(e.Record, e.Abandoned)
			}
		case game.Question:
			l.ask(e)
		case game.Forget:
			l.forget()
		case game.Rest:
			if l.Computer != nil {
				l.work(l.ctx, l.Computer.Rest)
			}
		case game.Refused:
			refused = e.Err
		case game.Stop:
			stop = &e
		}
	}
	return stop, refused
}
