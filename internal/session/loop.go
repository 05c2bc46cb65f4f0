// Package loop runs a game. It carries events from the panels to the game and views back to the
// panels, and owns the only timer. Only one goroutine uses the game.
//
// There is no regular tick. Between two events, the loop sleeps until the moment that
// [game.State.Next] returns, or without a limit if Next returns none.
package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// ErrInterrupted reports that Ctrl-C ended the game.
var ErrInterrupted = errors.New("interrupted")

// shutdownTimeout is how long Run waits for panels when it ends. A terminal that accepts no more
// output must not keep the program alive.
const shutdownTimeout = 50 * time.Millisecond

// Options configure [Run].
type Options struct {
	Panels   []Panel
	Seats    map[board.Disc]Panel // each panel plays one side and holds the seat of that side while the match lasts; may be nil
	Mark     func(*game.View)     // adds facts to each view that the game does not know; may be nil
	Computer Computer             // nil: there are no hints, and the computer plays at random
	Keeper   Keeper               // nil: matches are not saved

	// Requests are handled like the panels' events, but their senders get an answer. It may be nil.
	Requests Requests

	// Failed is called with errors that do not stop the game. It may be nil.
	Failed func(error)

	// Ready is called once, after the first view is sent to the panels. The loop's own goroutine
	// calls Alive at least once in each period of Every, so that a watchdog hears only from a loop
	// that is running. Ready and Alive may be nil.
	Ready func()
	Alive func()
	Every time.Duration
}

// Keeper saves matches, without making the game wait for a disk.
type Keeper interface {
	Save(game.Save)
	Finish(r game.Record, abandoned bool)

	// Saved returns a channel with the latest answer to a save. If the channel is nil in a game
	// that keeps matches, each disc takes a second longer.
	Saved() <-chan game.Saved
}

// Run plays the game on the panels until the game stops, a panel fails or the context is done. The
// error is [ErrInterrupted], the panel's error or the context's cause. Run returns the last state
// of the game. If the game or a panel panics, the error is a [*Fault], so that the caller can still
// close the panels.
func Run(ctx context.Context, s game.State, o Options) (game.State, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	l := &loop{
		Options: o, ctx: ctx, cancel: cancel, state: s, events: make(chan input),
		questions: make(chan question, 1), resting: make(chan struct{}, 1), forget: func() {},
	}
	defer l.wait()
	defer cancel(nil)
	for i, p := range o.Panels {
		l.attach(p, game.Source(i))
	}
	for player, p := range o.Seats {
		from := game.Holder + game.Source(player)
		l.attach(p, from, game.Take{Player: player}, game.Present{}) // refused if somebody already plays that side
	}
	l.start(l.answer)
	err := Guard(l.run)
	return l.state, err
}

type loop struct {
	Options
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup

	state   game.State
	screens []*screen
	events  chan input

	// One question is being answered, and at most one is waiting.
	questions chan question
	resting   chan struct{}
	forget    context.CancelFunc // cancels the last question that was asked
}

// input is an event and its source.
type input struct {
	event game.Event
	from  game.Source
}

// run handles one event after the other, until the game stops.
func (l *loop) run() error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var alive time.Time // the last call of Alive
	var saved <-chan game.Saved
	if l.Keeper != nil {
		saved = l.Keeper.Saved()
	}
	for {
		var in input
		var asked request
		select {
		case <-l.ctx.Done():
			return context.Cause(l.ctx)
		case <-timer.C:
			in.event = game.Tick{}
		case in = <-l.events:
		case in.event = <-saved:
		case asked = <-l.Requests:
			in = asked.input
		}
		now := time.Now()
		var effects []game.Effect
		l.state, effects = l.state.StepFrom(now, in.event, in.from)

		// After a press, a request and a call of Alive, the picture is shown again even if it has
		// not changed, so that a HAT that was taken off and put back lights up.
		_, again := in.event.(game.Press)
		again = again || asked.answer != nil
		if l.Every > 0 && now.Sub(alive) >= l.Every {
			alive, again = now, true
			if l.Alive != nil {
				l.Alive()
			}
		}
		view := l.state.View(now)
		if l.Mark != nil {
			l.Mark(&view)
		}
		for _, s := range l.screens {
			s.show(view, again)
		}
		if ready := l.Ready; ready != nil {
			l.Ready = nil
			ready()
		}
		stop, refused := l.apply(effects)
		if asked.answer != nil {
			asked.answer <- answer{view, refused}
		}
		switch {
		case stop == nil:
			l.sleep(timer, now, alive)
		case stop.Interrupted:
			return ErrInterrupted
		default:
			return nil
		}
	}
}

// apply carries out effects. It returns the Stop, if there is one, and the error of a refused
// event.
func (l *loop) apply(effects []game.Effect) (stop *game.Stop, refused error) {
	for _, e := range effects {
		switch e := e.(type) {
		case game.Save:
			if l.Keeper != nil {
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
			l.rest()
		case game.Refused:
			refused = e.Err
		case game.Stop:
			stop = &e
		}
	}
	return stop, refused
}

// sleep sets the timer to the moment when the view next changes or Alive must be called, whichever
// is earlier, if there is such a moment.
func (l *loop) sleep(timer *time.Timer, now, alive time.Time) {
	next, ok := l.state.Next(now)
	if l.Every > 0 {
		if due := alive.Add(l.Every); !ok || due.Before(next) {
			next, ok = due, true
		}
	}
	if ok {
		timer.Reset(time.Until(next))
	} else {
		timer.Stop()
	}
}

// start runs f in a goroutine. An error or a panic of f ends the loop.
func (l *loop) start(f func() error) {
	l.wg.Go(func() {
		if err := Guard(f); err != nil {
			l.cancel(err)
		}
	})
}

// send hands an event to the loop; false means that the loop has ended.
func (l *loop) send(ev game.Event, from game.Source) bool {
	select {
	case l.events <- input{ev, from}:
		return true
	case <-l.ctx.Done():
		return false
	}
}

// wait waits for the goroutines to end, for shutdownTimeout at most.
func (l *loop) wait() {
	done := make(chan struct{})
	go func() {
		l.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(shutdownTimeout):
	}
}
