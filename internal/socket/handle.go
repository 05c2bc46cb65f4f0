package socket

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/httplimit"
	"github.com/c4hat/c4hat/internal/words"
)

// answerTime is how long the game may take to answer.
const answerTime = 2 * time.Second

// handle registers the handler of a request. Only requests with the method POST have a body.
func (s *Server) handle(pattern string, h httplimit.Handler) {
	s.http.Handle(pattern, func(w http.ResponseWriter, r *http.Request, body []byte) error {
		switch {
		case r.Method != http.MethodPost && len(body) > 0:
			return httplimit.Refuse(http.StatusBadRequest, "%s takes no body", pattern)
		case r.URL.RawQuery != "" && r.URL.Path != "/v1/matches":
			return httplimit.Refuse(http.StatusBadRequest, "%s takes no query", r.URL.Path)
		}
		return h(w, r, body)
	})
}

// do passes an event to the game and returns the view after the event.
func (s *Server) do(r *http.Request, ev game.Event, from game.Source) (game.View, error) {
	ctx, cancel := context.WithTimeout(httplimit.ConnOf(r).Serving, answerTime)
	defer cancel()
	if s.Room != nil {
		if err := s.Room(ctx, ev); err != nil {
			return game.View{}, refused(game.View{}, err, from)
		}
	}
	v, err := s.Do(ctx, ev, from)
	if err != nil && ctx.Err() != nil {
		return v, httplimit.Refuse(http.StatusServiceUnavailable, "the game does not answer: see the service's log (journalctl -u c4hat)")
	}
	return v, refused(v, err, from)
}

// refused turns an error of the game into a refusal with a status. Where it helps, the text says
// what to do. Any other error is returned unchanged.
func refused(v game.View, err error, from game.Source) error {
	switch {
	case errors.Is(err, game.ErrUnderWay):
		return httplimit.Refuse(http.StatusConflict, `%v (%s): "force":true replaces it, DELETE /v1/match ends it`, err, words.Terms(v.Record))
	case errors.Is(err, game.ErrNoMatch):
		return httplimit.Refuse(http.StatusNotFound, "%v: start one with POST /v1/match", err)
	case errors.Is(err, game.ErrBusy):
		return httplimit.Refuse(http.StatusServiceUnavailable, "%v", err)
	case errors.Is(err, game.ErrNoSeat):
		return noSeat()
	case errors.Is(err, game.ErrNotYours):
		return notYours(v, from)
	case errors.Is(err, game.ErrNotNow):
		return httplimit.Refuse(http.StatusConflict, "%v: the match has %d, and the phase is %v", err, v.Discs(), v.Phase)
	case errors.Is(err, game.ErrAdmitSoon):
		return httplimit.Refuse(http.StatusTooManyRequests, "%v", err)
	case errors.Is(err, game.ErrTaken), errors.Is(err, game.ErrComputers), errors.Is(err, game.ErrAdmitting), errors.Is(err, game.ErrAdmitMatch):
		return httplimit.Refuse(http.StatusConflict, "%v", err)
	}
	return err
}

// state passes an event to the game and returns the state after it.
func (s *Server) state(r *http.Request, ev game.Event, from game.Source) (api.State, error) {
	v, err := s.do(r, ev, from)
	if err != nil {
		return api.State{}, err
	}
	return api.NewState(v)
}

// reply passes an event to the game and answers with the state after it.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, ev game.Event, from game.Source) error {
	state, err := s.state(r, ev, from)
	if err != nil {
		return err
	}
	s.http.Answer(w, http.StatusOK, state)
	return nil
}

func (s *Server) status(w http.ResponseWriter, r *http.Request, _ []byte) error {
	state, err := s.state(r, game.Tick{}, sourceOf(r))
	if err != nil {
		return err
	}
	s.http.Answer(w, http.StatusOK, Status{state, s.Status()})
	return nil
}

func (s *Server) press(w http.ResponseWriter, r *http.Request, body []byte) error {
	ev, token, err := api.ReadPress(body)
	if err != nil {
		return httplimit.Refuse(http.StatusBadRequest, "%v", err)
	}
	from := sourceOf(r)
	if token != "" {
		if from, err = s.seats.source(token); err != nil {
			return err
		}
	}
	return s.reply(w, r, ev, from)
}

func (s *Server) start(w http.ResponseWriter, r *http.Request, body []byte) error {
	m, err := api.ReadMatch(body)
	if err != nil {
		return httplimit.Refuse(http.StatusBadRequest, "%v", err)
	}
	ev, err := m.Start(s.Setup)
	if err != nil {
		return httplimit.Refuse(http.StatusBadRequest, "%v", err)
	}
	return s.seat(w, r, ev.Take, ev)
}

func (s *Server) end(w http.ResponseWriter, r *http.Request, _ []byte) error {
	return s.reply(w, r, game.End{}, sourceOf(r))
}
