package socket

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"

	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/httplimit"
)

// maxStreams is how many streams may be open. It leaves eight connections for other requests.
const maxStreams = maxConns - 8

func (s *Server) events(w http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	place := s.streams.Take(httplimit.ConnOf(r).User, nil)
	if place == nil {
		return nil, httplimit.Refuse(http.StatusServiceUnavailable, "%d programs are watching already, or %d of yours: end one of them", maxStreams, maxStreams/2)
	}
	defer place.Leave()
	// Join first, then ask for the current view, so that no change is missed.
	queue := s.readers.Join()
	defer s.readers.Leave(queue)
	v, gone, err := s.attend(r)
	if err != nil {
		return nil, err
	}
	defer gone()
	first, err := encode(v)
	if err != nil {
		return nil, err
	}
	last := v.Number
	lost := httplimit.Stream(w, r, patience, first.event, queue, func(e *shown) []byte {
		if e.view.Number <= last {
			return nil // the reader already has this view, or a later one
		}
		last = e.view.Number
		return e.event
	})
	if lost {
		s.Log.Debug("a reader of the control socket's events was too slow and was dropped")
	}
	return nil, nil
}

// Show passes a view to the readers of events, if it has changed. It never waits for them, and
// never returns an error, because an error from a panel ends the game. If there are no readers, it
// encodes nothing.
func (s *Server) Show(v game.View, _ bool) error {
	if v.Number == s.last {
		return nil
	}
	s.last = v.Number
	if s.readers.Count() == 0 {
		return nil
	}
	e, err := encode(v)
	if err != nil {
		s.Log.Debug("cannot encode a view", "error", err)
		return nil
	}
	s.readers.Send(e)
	return nil
}

// Next returns no events, only the error when the context ends: clients' events go through
// [Options.Do].
func (s *Server) Next(ctx context.Context) (game.Event, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// shown is a view, encoded once for all readers.
type shown struct {
	view  game.View
	event []byte
}

func encode(v game.View) (*shown, error) {
	doc, err := json.Marshal(api.NewState(v))
	if err != nil {
		return nil, err
	}
	return &shown{v, httplimit.Event("", doc)}, nil
}

// Events yields the current view and then every new one, until the context is done or the
// connection is lost. The last element is the error.
func (c *Client) Events(ctx context.Context) iter.Seq2[game.View, error] {
	return func(yield func(game.View, error) bool) {
		for doc, err := range c.Documents(ctx) {
			var v game.View
			if err == nil {
				var s api.State
				if err = json.Unmarshal(doc, &s); err != nil {
					err = c.unexpected(err)
				} else {
					v, err = c.View(s)
				}
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// Documents yields what [Client.Events] yields, as the JSON that the service sent. Each
// element is valid until the next one.
func (c *Client) Documents(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		body, err := c.open(ctx, http.MethodGet, "/v1/events", nil)
		if err != nil {
			yield(nil, err)
			return
		}
		defer body.Close()
		lines := bufio.NewScanner(body)
		lines.Buffer(nil, maxAnswer)
		for other := 0; lines.Scan(); { // other counts the bytes that are no event
			if doc, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:")); ok {
				other = 0
				if !yield(bytes.TrimSpace(doc), nil) {
					return
				}
			} else if other += len(lines.Bytes()) + 1; other > maxAnswer {
				yield(nil, c.unexpected(errTooLong))
				return
			}
		}
		switch err := lines.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(nil, c.unexpected(errTooLong))
		case err != nil:
			yield(nil, c.lost(ctx, err))
		default:
			yield(nil, c.lost(ctx, errors.New("it closed the connection")))
		}
	}
}
