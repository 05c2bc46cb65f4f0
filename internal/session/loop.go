package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// input is an event, its source, and where to send the answer.
type input struct {
	event  game.Event
	from   game.Source
	answer chan<- answer // buffered, so sending never blocks; nil: nobody waits for it
	reader *reader       // gets all views from then on, unless the event is refused
}

type answer struct {
	view game.View
	err  error
}

// reader is somebody who reads views.
type reader struct {
	ctx    context.Context // ends the reading
	views  chan game.View  // the latest view that has not been taken
	number uint64          // of the last view sent
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
	for {
		in := input{event: game.Tick{}}
		select {
		case <-l.ctx.Done():
			return context.Cause(l.ctx)
		case <-timer.C:
			l.saving = 0 // an instant clock has waited for the disk
			if l.next.After(l.at) {
				l.at = l.next
			}
		case in = <-l.inputs:
			l.at = l.at.Add(time.Second) // or an instant clock would take two lines of text for a double press
		case in.event = <-saved:
		}
		now := l.at
		if !l.Instant {
			now = time.Now()
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
		stop, refused := l.apply(l.state.StepFrom(now, in.event, in.from))
		if in.reader != nil && refused == nil {
			l.readers = append(l.readers, in.reader)
		}
		l.publish(l.state.View(now))
		if in.answer != nil {
			in.answer <- answer{l.view, refused}
		}
		if l.Alive != nil && (l.alive.IsZero() || l.Every > 0 && now.Sub(l.alive) >= l.Every) {
			l.alive = now
			l.Alive()
		}
		if stop {
			return nil
		}
		if wait, ok := l.sleep(now); ok {
			timer.Reset(wait)
		} else {
			timer.Stop()
		}
	}
}

// publish numbers a view that is new, and gives it to the readers. One that has not taken the view before it
// misses that, except in an instant game, which waits for the reader.
func (l *Local) publish(v game.View) {
	if v != l.bare || l.view.Number == 0 {
		l.bare = v
		v = words.With(v)
		v.Number = l.view.Number + 1
		l.view = v
	}
	l.readers = slices.DeleteFunc(l.readers, func(r *reader) bool { return r.ctx.Err() != nil })
	for _, r := range l.readers {
		if r.number == l.view.Number {
			continue
		}
		r.number = l.view.Number
		if !l.Instant {
			select {
			case <-r.views:
			default:
			}
		}
		select {
		case r.views <- l.view:
		case <-r.ctx.Done():
		}
	}
}

// sleep returns how long to wait for the next view, or for the next call of Alive; ok is false if there is neither.
// In an instant game the next view comes at once while a phase passes by itself, but waits for the
// computer, for the disk as long as the game does, and for somebody who watches.
func (l *Local) sleep(now time.Time) (wait time.Duration, ok bool) {
	l.next, ok = l.state.Next(now)
	if l.Instant {
		if l.saving > 0 {
			wait = time.Second
		}
		p := l.view.Phase // in others a cursor may blink
		flows := p == game.Thinking || p == game.Fall || p.Ends() || p == game.Hinting
		return wait, ok && flows && l.asked == 0 && len(l.readers) > 0
	}
	if due := l.alive.Add(l.Every); l.Every > 0 && (!ok || due.Before(l.next)) {
		return due.Sub(now), true
	}
	return l.next.Sub(now), ok
}

// apply carries out effects. It reports whether the game stops, and returns the error of a refused event.
func (l *Local) apply(effects []game.Effect) (stop bool, refused error) {
	for _, e := range effects {
		switch e := e.(type) {
		case game.Save:
			if l.Keeper != nil {
				l.saving = e.ID
				l.Keeper.Save(e)
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
				l.let(l.Computer.Rest)
			}
		case game.Refused:
			refused = e.Err
		case game.Stop:
			stop = true
		}
	}
	return stop, refused
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
