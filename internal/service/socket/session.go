package socket

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/session"
)

// A client tries once a second to reach a lost service, for awayTime; a voice tries until the service is back.
const (
	awayTime  = 10 * time.Second
	retryTime = time.Second
)

// Do sends an event to the service, as [session.Session.Do] does. Only the holder of a seat
// sends movements of the mouse, because they would move the cursor of the player at the HAT. The view
// is empty if an event is not sent.
func (c *Client) Do(ctx context.Context, ev game.Event) (game.View, error) {
	if _, point := ev.(game.Point); point && c.token == "" {
		return game.View{}, nil
	}
	method, path, body := http.MethodPost, "/v1/press", any(nil)
	switch ev := ev.(type) {
	case game.Tick:
		method, path = http.MethodGet, "/v1/status"
	case game.Start:
		ev.Take = game.Take{} // the token would be lost: see StartSeated
		v, _, err := c.StartSeated(ctx, ev)
		return v, err
	case game.End:
		method, path = http.MethodDelete, "/v1/match"
	case game.Leave:
		if method, path = http.MethodDelete, "/v1/seat"; ev.Why != "" {
			method, body = http.MethodPost, api.SeatRequest{Token: c.token, Failed: api.Short(ev.Why)}
		}
	default:
		var ok bool
		if body, ok = api.WritePress(ev, c.token); !ok {
			return game.View{}, nil
		}
	}
	s, err := ask[api.State](ctx, c, maxAnswer, method, path, body)
	if err != nil {
		return game.View{}, err
	}
	return c.View(s)
}

// Take takes the seat of a player of the match under way.
func (c *Client) Take(ctx context.Context, ev game.Take) (session.Session, error) {
	v, err := c.Do(ctx, game.Tick{})
	if err != nil {
		return nil, err
	}
	if !v.UnderWay {
		return nil, game.ErrNoMatch
	}
	seated, err := c.TakeSeat(ctx, api.SeatRequest{Seat: v.Match.Rules().Name(ev.Player), Name: api.Short(ev.Holder)})
	return c.Seated(seated.Token), err
}

// TakeSeat takes a seat, and returns its token.
func (c *Client) TakeSeat(ctx context.Context, r api.SeatRequest) (api.Seated, error) {
	return ask[api.Seated](ctx, c, maxAnswer, "POST", "/v1/seat", r)
}

// StartSeated starts a match, and returns its first view and the session of the holder of the seat
// that the event takes, if it takes one.
func (c *Client) StartSeated(ctx context.Context, ev game.Start) (game.View, *Client, error) {
	started, err := c.Start(ctx, api.RequestFor(ev))
	if err != nil {
		return game.View{}, nil, err
	}
	v, err := c.View(started.State)
	return v, c.Seated(started.Token), err
}

// Views yields the service's views, as [session.Session.Views] does. If the service cannot be
// reached, it tries again for awayTime or, if it is a voice, until the context is done.
func (c *Client) Views(ctx context.Context) iter.Seq2[game.View, error] {
	return func(yield func(game.View, error) bool) {
		var since time.Time // when the connection was lost
		var last game.View
		for {
			for v, err := range c.Events(ctx) {
				switch {
				case err == nil:
					since, last = time.Time{}, v
				case !errors.Is(err, session.ErrAway):
					v = last
				case since.IsZero():
					since = time.Now()
					if v, err = last, nil; v.Number == 0 { // nothing to show yet
						continue
					}
					v.Lost = true
				case time.Since(since) > awayTime && !c.voice:
					err = fmt.Errorf("the service has stopped: %w", err)
				default:
					continue
				}
				if !yield(v, err) || err != nil {
					return
				}
			}
			select {
			case <-ctx.Done():
				yield(last, context.Cause(ctx))
				return
			case <-time.After(retryTime):
			}
		}
	}
}
