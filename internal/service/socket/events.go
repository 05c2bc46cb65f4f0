package socket

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"slices"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/session"
)

// backlog is how many events a reader may be behind before it misses some.
const backlog = 64

// events handles GET /v1/events. A reader that is slower than the game misses views, but never the last.
func (s *Server) events(w http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	from, err := s.holder(r)
	if err != nil {
		return nil, err
	}
	leave, ok := s.streams.Take(ConnOf(r).User)
	if !ok {
		return nil, Refuse(http.StatusServiceUnavailable, "%d programs are watching already, or %d of yours: end one of them", s.streams.All, s.streams.Each)
	}
	defer leave()
	if from == (game.Source{}) {
		from = sourceOf(r)
		if r.Header.Get(VoiceHeader) != "" {
			if _, err := s.As(from).Do(ConnOf(r).Serving, game.Voice{}); err != nil {
				return nil, err
			}
			defer func() { _, _ = s.As(from).Do(ConnOf(r).Serving, game.Voice{Gone: true}) }()
		}
	}
	ctx, cancel := context.WithCancel(r.Context())
	events, ended := make(chan []byte, backlog), make(chan error, 1)
	go func() {
		defer close(events)
		ended <- s.follow(ctx, from, events)
	}()
	defer func() {
		cancel()
		for range events { // until the seat is left
		}
	}()
	first, ok := <-events
	if !ok {
		return nil, refused(game.View{}, <-ended, from)
	}
	s.stream(ctx, w, slices.Clone(first), events)
	return nil, nil
}

// follow sends the views of a session, encoded. For a seat's holder, the game counts who follows.
func (s *Server) follow(ctx context.Context, from game.Source, events chan<- []byte) error {
	for v, err := range s.As(from).Views(ctx) {
		if err != nil {
			return err
		}
		event, err := s.encode(v)
		if err != nil {
			return err
		}
		select {
		case events <- event:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return session.ErrEnded
}

// encode returns the event that describes a view. All readers of a view share one.
func (s *Server) encode(v game.View) ([]byte, error) {
	s.encoding.Lock()
	defer s.encoding.Unlock()
	if v.Number != s.number || s.encoded == nil {
		doc, err := json.Marshal(api.NewState(v))
		if err != nil {
			return nil, err
		}
		s.number, s.encoded = v.Number, Event(doc)
	}
	return s.encoded, nil
}

// Event returns a document as an event of a stream.
func Event(doc []byte) []byte { return slices.Concat([]byte("data: "), doc, []byte("\n\n")) }

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
		for lines.Scan() {
			if doc, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:")); ok && !yield(bytes.TrimSpace(doc), nil) {
				return
			}
		}
		switch err := lines.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(nil, c.unexpected(err))
		case err != nil:
			yield(nil, c.lost(ctx, err))
		default:
			yield(nil, c.lost(ctx, errors.New("it closed the connection")))
		}
	}
}
