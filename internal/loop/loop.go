// Package loop runs a game: it carries events from the panels to the game and
// its pictures back, and keeps the one timer there is. The game itself is touched
// by one goroutine alone.
//
// Nothing ticks. Between two events the loop sleeps until the moment the game
// names, and for ever where it names none.
package loop

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// Panel is a place where the game is shown and played: the HAT, a terminal.
type Panel interface {
	// Show shows a view; again asks for the picture to be shown once more though
	// it may not have changed. It may take its time: the loop does not wait for
	// it, and shows it the latest view once it is done. Calls do not overlap.
	Show(v game.View, again bool) error
	// Next waits for the next event, until the context is done. Calls do not
	// overlap, but one is under way while Show is called.
	Next(context.Context) (game.Event, error)
}

// Adviser works out what each column is worth in a game, until the context is done.
type Adviser func(context.Context, board.Game) (game.Advice, error)

// Thinker chooses the computer's column, from 0, until the context is done.
type Thinker func(context.Context, game.Think) (int, error)

// ErrInterrupted says that somebody pressed Ctrl-C.
var ErrInterrupted = errors.New("interrupted")

// goodbye is how long Run waits for panels to come back when it ends. A terminal
// that takes no more output must not keep the program alive.
const goodbye = 50 * time.Millisecond

// Options are what a game is run with.
type Options struct {
	Panels []Panel
	Advise Adviser // nil: nobody can
	Think  Thinker // nil: the computer plays anything
	Rest   func()  // a match is over: their memory can go; may be nil

	// Requests are answered like the panels' events; nil: there are none.
	Requests Requests

	// Save and Finish keep matches, see [Saver]. They may be nil.
	Save   func(game.Record)
	Finish func(r game.Record, abandoned bool)

	// Failed is told of what went wrong where the game goes on; it may be nil.
	Failed func(error)

	// Ready is called once, when the first view is on its way. Alive is called
	// from the loop itself, at least every so often: whoever watches over the
	// program is told only while the game goes on. Both may be nil.
	Ready func()
	Alive func()
	Every time.Duration
}

// Run plays the game on the panels until it stops, a panel fails or the context
// is done; then the error is the context's cause. It gives the game as it was
// left. A panic of the game or of a panel is an error like any other, a [*Fault],
// so that whoever opened the panels can close them.
func Run(ctx context.Context, s game.State, o Options) (game.State, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	l := &loop{Options: o, ctx: ctx, cancel: cancel, state: s, events: make(chan game.Event)}
	defer l.wait()
	defer cancel(nil)
	for _, p := range o.Panels {
		l.attach(p)
	}
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
	events  chan game.Event
	forget  context.CancelFunc // of the advice or thought being worked out
}

// run is the loop itself.
func (l *loop) run() error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var alive time.Time // Alive was called last
	for {
		var ev game.Event
		var asked request
		select {
		case <-l.ctx.Done():
			return context.Cause(l.ctx)
		case <-timer.C:
			ev = game.Tick{}
		case ev = <-l.events:
		case asked = <-l.Requests:
			ev = asked.event
		}
		now := time.Now()
		var effects []game.Effect
		l.state, effects = l.state.Step(now, ev)

		// A press, a request and a sign of life show the picture again though it has
		// not changed: what a HAT lost while it sat loosely comes back.
		_, again := ev.(game.Press)
		again = again || asked.answer != nil
		if l.Every > 0 && now.Sub(alive) >= l.Every {
			alive, again = now, true
			l.call(l.Alive)
		}
		view := l.state.View(now)
		for _, s := range l.screens {
			s.show(view, again)
		}
		if asked.answer != nil {
			asked.answer <- answer{view, refusal(effects)}
		}
		if ready := l.Ready; ready != nil {
			l.Ready = nil
			ready()
		}
		var stop *game.Stop
		for _, e := range effects {
			switch e := e.(type) {
			case game.Save:
				if l.Save != nil {
					l.Save(e.Record)
				}
			case game.Finish:
				if l.Finish != nil {
					l.Finish(e.Record, e.Abandoned)
				}
			case game.Advise:
				l.ask(func(ctx context.Context) (game.Event, error) {
					advice, err := l.advise(ctx, e.Game)
					return game.Advised{ID: e.ID, Advice: advice}, err
				}, game.AdviceFailed{ID: e.ID})
			case game.Think:
				l.ask(func(ctx context.Context) (game.Event, error) {
					col, err := l.think(ctx, e)
					return game.Chosen{ID: e.ID, Col: col}, err
				}, game.ThinkFailed{ID: e.ID})
			case game.Forget:
				l.stopAsking()
			case game.Rest:
				l.call(l.Options.Rest)
			case game.Stop:
				stop = &e
			}
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

// sleep sets the timer to the next moment at which something is due, if there is
// one.
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

func (l *loop) call(f func()) {
	if f != nil {
		f()
	}
}

// attach starts the two goroutines of a panel: one that shows, one that listens.
func (l *loop) attach(p Panel) {
	s := &screen{fresh: make(chan struct{}, 1)}
	l.screens = append(l.screens, s)
	l.start(func() error {
		for {
			select {
			case <-l.ctx.Done():
				return nil
			case <-s.fresh:
			}
			if err := p.Show(s.latest()); err != nil {
				return err
			}
		}
	})
	l.start(func() error {
		for {
			ev, err := p.Next(l.ctx)
			if err != nil {
				return err
			}
			if !l.send(ev) {
				return nil
			}
		}
	})
}

// start runs f in a goroutine; its error, or its panic, ends the loop.
func (l *loop) start(f func() error) {
	l.wg.Go(func() {
		if err := Guard(f); err != nil {
			l.cancel(err)
		}
	})
}

// send hands an event to the loop, unless that has ended.
func (l *loop) send(ev game.Event) bool {
	select {
	case l.events <- ev:
		return true
	case <-l.ctx.Done():
		return false
	}
}

// wait gives the goroutines a moment to end.
func (l *loop) wait() {
	done := make(chan struct{})
	go func() {
		l.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(goodbye):
	}
}

// ask has somebody think; the game asks for one thing at a time.
func (l *loop) ask(answer func(context.Context) (game.Event, error), failed game.Event) {
	ctx, cancel := context.WithCancel(l.ctx)
	l.forget = cancel
	l.start(func() error {
		defer cancel()
		ev, err := answer(ctx)
		switch {
		case ctx.Err() != nil: // nobody waits for it
		case err != nil:
			if l.Failed != nil {
				l.Failed(err)
			}
			l.send(failed)
		default:
			l.send(ev)
		}
		return nil
	})
}

func (l *loop) stopAsking() {
	if l.forget != nil {
		l.forget()
		l.forget = nil
	}
}

func (l *loop) advise(ctx context.Context, g board.Game) (game.Advice, error) {
	if l.Advise == nil {
		return game.Advice{}, errors.ErrUnsupported
	}
	return l.Advise(ctx, g)
}

func (l *loop) think(ctx context.Context, t game.Think) (int, error) {
	if l.Think == nil {
		return 0, errors.ErrUnsupported
	}
	return l.Think(ctx, t)
}

// screen hands views to a panel's goroutine. A view that comes while the panel
// is busy replaces the one that waits.
type screen struct {
	mu    sync.Mutex
	view  game.View
	again bool
	fresh chan struct{}
}

func (s *screen) show(v game.View, again bool) {
	s.mu.Lock()
	changed := v != s.view
	s.view = v
	s.again = s.again || again
	s.mu.Unlock()
	if !changed && !again {
		return
	}
	select {
	case s.fresh <- struct{}{}:
	default:
	}
}

func (s *screen) latest() (v game.View, again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	again, s.again = s.again, false
	return s.view, again
}
