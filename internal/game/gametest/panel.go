package gametest

import (
	"context"
	"sync"
	"testing/synctest"

	"github.com/c4hat/c4hat/internal/game"
)

// Panel is a panel in a [synctest] bubble: it records the views, and a test presses its
// keys.
type Panel struct {
	events chan game.Event

	mu    sync.Mutex
	views []game.View
}

// NewPanel returns a panel that has shown nothing.
func NewPanel() *Panel { return &Panel{events: make(chan game.Event)} }

func (p *Panel) Show(v game.View) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.views = append(p.views, v)
	return nil
}

func (p *Panel) Next(ctx context.Context) (game.Event, error) {
	select {
	case ev := <-p.events:
		return ev, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Press presses keys, one after the other, and waits until each has taken effect.
func (p *Panel) Press(events ...game.Event) {
	for _, ev := range events {
		p.events <- ev
		synctest.Wait()
	}
}

func (p *Panel) Views() []game.View {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.views
}

func (p *Panel) Last() game.View {
	views := p.Views()
	return views[len(views)-1]
}
