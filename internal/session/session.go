// Package session runs a game, and shows it wherever somebody plays it.
//
// A [Session] is a running game, in this process ([Local]) or in the service (socket.Client). Whoever
// plays or watches does so through a session: [Attach] connects a [Panel] to it, the HAT's as well as a
// terminal's.
package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// A Session is a running game. All events that pass through one session have the same
// [game.Source]. Sessions are safe for concurrent use.
type Session interface {
	// Do passes an event to the game and returns the view after it. The error is a [*game.Refusal]
	// if the game refuses the event, [ErrAway] if the game cannot be reached at the moment,
	// [ErrEnded], or the context's.
	Do(context.Context, game.Event) (game.View, error)

	// Views yields the current view and then every later one, in order, until the context is done
	// or the game ends. A reader that is slower than the game misses views. While the game cannot be
	// reached, the last view is yielded again, with Lost set. The last element may be an error.
	// The caller must use the sequence once.
	Views(context.Context) iter.Seq2[game.View, error]

	// Take takes a seat of the match under way and returns a session of the seat's holder. While
	// somebody reads that session's views, the seat stays taken.
	Take(context.Context, game.Take) (Session, error)
}

// Errors of a [Session] and of [Attach].
var (
	ErrAway        = errors.New("the game cannot be reached")
	ErrEnded       = errors.New("the session has ended")
	ErrLeft        = errors.New("left")        // the user quit with q
	ErrInterrupted = errors.New("interrupted") // the user quit with Ctrl-C
)

// Panel shows a game and takes keys, as the HAT or a terminal does.
type Panel interface {
	// Show shows a view. It may block: the game does not wait for it, and the next call has the latest
	// view. Calls of Show do not overlap each other.
	Show(game.View) error
	// Next waits for the next event, until the context is done. Calls of Next do not overlap each
	// other, but they do overlap calls of Show.
	Next(context.Context) (game.Event, error)
}

// Answered is implemented by panels that want to know what became of the events that Next returned.
type Answered interface {
	// Answered receives the view after an event, or the error that says why it had no effect.
	Answered(game.Event, game.View, error) error
}

// Terms say how a panel is attached.
type Terms struct {
	Watch bool                 // keys other than those that quit have no effect
	Until func(game.View) bool // reports whether to stop after this view; nil: never
}

// Attach shows the session's views on a panel and sends the panel's events, until the game or the
// context ends, the user quits or the panel fails. It returns the last view. The error is nil if the
// game ended or Until returned true; otherwise it is [ErrLeft], [ErrInterrupted], an error of the panel
// or of the session, or the context's cause. If the panel still shows a view, Attach waits for it, but no longer
// than a second: a terminal may take no output.
func Attach(ctx context.Context, s Session, p Panel, t Terms) (game.View, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	var mu sync.Mutex
	var last game.View    // a pointer would cost an allocation for each view
	views := s.Views(ctx) // before a key can have an effect
	show := func() error {
		for v, err := range views {
			if err != nil {
				return err
			}
			mu.Lock()
			last = v
			mu.Unlock()
			if err := p.Show(v); err != nil {
				return err
			}
			if t.Until != nil && t.Until(v) {
				break
			}
		}
		return ErrEnded
	}
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		cancel(Guard(show))
	}()
	go func() { cancel(Guard(func() error { return send(ctx, s, p, t.Watch) })) }()
	<-ctx.Done()
	select {
	case <-shown:
	case <-time.After(time.Second):
	}
	err := context.Cause(ctx)
	if errors.Is(err, ErrEnded) {
		err = nil
	}
	mu.Lock()
	defer mu.Unlock()
	return last, err
}

func send(ctx context.Context, s Session, p Panel, watch bool) error {
	answered, _ := p.(Answered)
	for {
		ev, err := p.Next(ctx)
		if err != nil {
			return err
		}
		if quit, ok := ev.(game.Quit); ok {
			if quit.Interrupted {
				return ErrInterrupted
			}
			return ErrLeft
		}
		if watch {
			continue
		}
		v, err := s.Do(ctx, ev)
		var refusal *game.Refusal
		switch {
		case errors.Is(err, ErrEnded):
			<-ctx.Done() // the last view is on its way
			return nil
		case err != nil && !errors.As(err, &refusal) && !errors.Is(err, ErrAway):
			return err
		}
		if answered != nil {
			if err := answered.Answered(ev, v, err); err != nil {
				return err
			}
		}
	}
}

// Fault is a panic, recovered so that panels can still be closed.
type Fault struct {
	Value any
	Stack []byte // as debug.Stack prints it
}

// Error returns one line, without the stack.
func (f *Fault) Error() string { return fmt.Sprintf("internal fault: %v", f.Value) }

// Guard calls f and returns its panic as a [*Fault].
func Guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Fault{v, debug.Stack()}
		}
	}()
	return f()
}
