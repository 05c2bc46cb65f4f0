package loop

import (
	"context"
	"sync"

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

// attach starts the two goroutines of a panel: one that shows, one that listens.
func (l *loop) attach(p Panel, from game.Source) {
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
			if !l.send(ev, from) {
				return nil
			}
		}
	})
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
