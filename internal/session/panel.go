package session

import (
	"context"

	"github.com/c4hat/c4hat/internal/game"
)

// Panel shows the game and takes keys, as the HAT or a terminal does.
type Panel interface {
	// Show shows a view. If again is set, it shows the picture again even if the picture has not
	// changed. Show may block: the loop does not wait for it, and the next call has the latest
	// view. Calls of Show do not overlap each other.
	Show(v game.View, again bool) error
	// Next waits for the next event, until the context is done. Calls of Next do not overlap each
	// other, but they do overlap calls of Show.
	Next(context.Context) (game.Event, error)
}

// attach starts a panel's two goroutines. One shows views; the other sends the events in first and
// then those of the panel.
func (l *loop) attach(p Panel, from game.Source, first ...game.Event) {
	s := &screen{next: make(chan picture, 1)}
	l.screens = append(l.screens, s)
	l.start(func() error {
		for {
			select {
			case <-l.ctx.Done():
				return nil
			case next := <-s.next:
				if err := p.Show(next.view, next.again); err != nil {
					return err
				}
			}
		}
	})
	l.start(func() error {
		for _, ev := range first {
			if !l.send(ev, from) {
				return nil
			}
		}
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

// screen hands views to a panel's goroutine. A new view replaces one that is still waiting.
type screen struct {
	last game.View
	next chan picture
}

// picture is what [Panel.Show] is called with.
type picture struct {
	view  game.View
	again bool
}

func (s *screen) show(v game.View, again bool) {
	if v == s.last && !again {
		return
	}
	s.last = v
	select {
	case waits := <-s.next:
		again = again || waits.again
	default:
	}
	s.next <- picture{v, again} // only the loop sends, so there is room
}
