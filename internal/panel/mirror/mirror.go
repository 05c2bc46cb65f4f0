// Package mirror connects a panel in this process to the service's match: it shows the match on the
// panel, and sends the panel's keys to the service.
package mirror

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/socket"
)

// ErrLeft means that the user quit with q.
var ErrLeft = errors.New("left")

// Mirror shows a match of the service.
type Mirror struct {
	Client *socket.Client
	Keys   bool                 // keys are sent to the service; otherwise only q and Ctrl-C work
	Until  func(game.View) bool // reports whether to stop after this view; nil: never

	// Mark, if not nil, adds to a view what only this client knows.
	Mark func(*game.View)

	// Pressed, if not nil, receives the view after each key, or the error that says why the key had
	// no effect.
	Pressed func(game.Event, game.View, error) error

	away atomic.Bool
}

// Away reports whether the mirror is waiting for the service to return.
func (m *Mirror) Away() bool { return m.away.Load() }

// errSeen ends a mirror whose Until returned true.
var errSeen = errors.New("seen")

// Run mirrors the match on a panel. Run returns the last view. If it ends before Until returns
// true, the error is [ErrLeft], [session.ErrInterrupted], or one of the panel or the service.
func (m *Mirror) Run(ctx context.Context, panel session.Panel) (game.View, error) {
	return m.run(ctx, func(v game.View) error { return panel.Show(v, false) }, panel)
}

// Follow is like Run, for an output without keys.
func (m *Mirror) Follow(ctx context.Context, show func(game.View) error) (game.View, error) {
	return m.run(ctx, show, nil)
}

func (m *Mirror) run(ctx context.Context, show func(game.View) error, keys session.Panel) (game.View, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if keys != nil {
		go func() { cancel(session.Guard(func() error { return m.send(ctx, keys) })) }()
	}
	var last atomic.Pointer[game.View]
	last.Store(new(game.View))
	go func() {
		cancel(session.Guard(func() error {
			return m.watch(ctx, func(v game.View) error {
				last.Store(&v)
				if err := show(v); err != nil {
					return err
				}
				if m.Until != nil && m.Until(v) {
					return errSeen
				}
				return nil
			})
		}))
	}()
	<-ctx.Done() // do not wait for the panel: a terminal may take no output
	err := context.Cause(ctx)
	if errors.Is(err, errSeen) {
		err = nil
	}
	return *last.Load(), err
}

// awayTime is how long the mirror waits for a service that cannot be reached, and retryEvery is the
// time between two tries. If systemd restarts a service that has died, the service and its match
// are back within seconds.
const (
	awayTime   = 10 * time.Second
	retryEvery = 200 * time.Millisecond
)

// mayReturn reports whether err means that the service cannot be reached, but may be back in a
// moment.
func mayReturn(err error) bool {
	return errors.Is(err, socket.ErrNoDaemon) || errors.Is(err, socket.ErrLost)
}

// harmless reports whether err means only that a key had no effect: the service cannot be reached,
// or it refused the key because of a match under way or a seat. The view tells the player why.
func harmless(err error) bool {
	return mayReturn(err) || errors.Is(err, game.ErrUnderWay) || errors.Is(err, game.ErrNotYours) || errors.Is(err, game.ErrNoSeat)
}

// watch shows what the service shows. If the service cannot be reached, watch tries again for
// awayTime.
func (m *Mirror) watch(ctx context.Context, show func(game.View) error) error {
	var (
		since time.Time // when the connection was lost
		last  *game.View
	)
	for {
		for v, err := range m.Client.Events(ctx) {
			if err != nil {
				if !mayReturn(err) {
					return err
				}
				if since.IsZero() {
					since = time.Now()
					if last != nil {
						m.away.Store(true)
						if err := show(*last); err != nil {
							return err
						}
					}
				}
				if ctx.Err() != nil || time.Since(since) > awayTime {
					return fmt.Errorf("the service has stopped: %w", err)
				}
				break
			}
			if m.Mark != nil {
				m.Mark(&v)
			}
			since, last = time.Time{}, &v
			m.away.Store(false)
			if err := show(v); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryEvery):
		}
	}
}

// send sends keys to the service. Mouse movements are not sent: they would move the cursor
// of the player at the HAT.
func (m *Mirror) send(ctx context.Context, keys session.Panel) error {
	for {
		ev, err := keys.Next(ctx)
		if err != nil {
			return err
		}
		switch ev := ev.(type) {
		case game.Quit:
			if ev.Interrupted {
				return session.ErrInterrupted
			}
			return ErrLeft
		case game.Point:
		default:
			if !m.Keys {
				break
			}
			v, err := m.press(ctx, ev)
			if err != nil && !harmless(err) {
				return err
			}
			if m.Pressed != nil {
				if err := m.Pressed(ev, v, err); err != nil {
					return err
				}
			}
		}
	}
}

// press sends a key, or a request for a match.
func (m *Mirror) press(ctx context.Context, ev game.Event) (game.View, error) {
	var s api.State
	var err error
	switch ev := ev.(type) {
	case game.Start:
		started, failed := m.Client.Start(ctx, api.RequestFor(game.Config{Setup: ev.Setup}, ev.Force))
		s, err = started.State, failed
	case game.Leave:
		return game.View{}, m.Client.Leave(ctx)
	default:
		s, err = m.Client.Press(ctx, ev)
	}
	if err != nil || m.Pressed == nil {
		return game.View{}, err
	}
	return m.Client.View(s)
}
