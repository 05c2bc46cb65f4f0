package socket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/c4hat/c4hat/internal/command/quote"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/words"
)

// UntilHeader is the name of the request header that says when a request is too late to be carried
// out, in milliseconds on the server's clock, which its streams of events tell. A person who has been told
// that a press failed presses again, so the first press must never reach the game.
const UntilHeader = "C4hat-Until"

// now is the time on the server's clock in milliseconds. Nobody can set this clock.
func (s *Server) now() int64 { return s.began.UnixMilli() + time.Since(s.began).Milliseconds() }

// answerTime is how long the game may take to answer.
const answerTime = 2 * time.Second

// do passes an event to the game and returns the view after the event.
func (s *Server) do(r *http.Request, ev game.Event, from game.Source) (game.View, error) {
	left := answerTime
	if text := r.Header.Get(UntilHeader); text != "" {
		until, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return game.View{}, Refuse(http.StatusBadRequest, "%s: %s is no time in milliseconds", UntilHeader, quote.Short(text))
		}
		left = min(left, time.Duration(min(max(until, 0)-s.now(), left.Milliseconds()))*time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(ConnOf(r).Serving, left)
	defer cancel()
	if ctx.Err() != nil {
		return game.View{}, Refuse(http.StatusServiceUnavailable, "the request comes too late, and is not carried out")
	}
	v, err := s.As(from).Do(ctx, ev)
	if err != nil && ctx.Err() != nil {
		return v, Refuse(http.StatusServiceUnavailable, "the game does not answer: see the service's log (journalctl -u c4hat)")
	}
	return v, refused(v, err, from)
}

// statuses has the HTTP status of each refusal of the game. Those that are missing have 409.
var statuses = map[*game.Refusal]int{
	game.ErrNoMatch:   http.StatusNotFound,
	game.ErrAdmitSoon: http.StatusTooManyRequests, game.ErrAdmitNobody: http.StatusBadRequest,
}

// refused turns a refusal of the game into one with a status and a code. Where it helps, the text
// says what to do. Any other error is returned unchanged.
func refused(v game.View, err error, from game.Source) error {
	why, ok := errors.AsType[*game.Refusal](err)
	if !ok {
		return err
	}
	text := err.Error()
	switch why {
	case game.ErrUnderWay:
		text = fmt.Sprintf(`%v (%s): "force":true replaces it, DELETE /v1/match ends it`, err, words.Terms(v.Record))
	case game.ErrNoMatch:
		text += ": start one with POST /v1/match"
	case game.ErrNoSeat:
		text += ": take one with POST /v1/seat"
	case game.ErrNotYours:
		text = notYours(v, from)
	case game.ErrNotNow:
		text = fmt.Sprintf("%v: the match has %d, and the phase is %v", err, v.Discs(), v.Phase)
	}
	return &Refusal{Status: cmp.Or(statuses[why], http.StatusConflict), Code: why.Code, Reason: text}
}

// state passes an event to the game and returns the state after it.
func (s *Server) state(r *http.Request, ev game.Event, from game.Source) (api.State, error) {
	v, err := s.do(r, ev, from)
	if err != nil {
		return api.State{}, err
	}
	return api.NewState(v), nil
}

func (s *Server) status(_ http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	state, err := s.state(r, game.Tick{}, sourceOf(r))
	return Status{state, s.Status()}, err
}

func (s *Server) press(_ http.ResponseWriter, r *http.Request, body []byte) (any, error) {
	ev, token, err := api.ReadPress(body)
	if err != nil {
		return nil, Refuse(http.StatusBadRequest, "%v", err)
	}
	from := sourceOf(r)
	if token != "" {
		if from, err = s.seats.source(token); err != nil {
			return nil, err
		}
	}
	return s.state(r, ev, from)
}

func (s *Server) start(w http.ResponseWriter, r *http.Request, body []byte) (any, error) {
	m, err := api.ReadMatch(body)
	if err != nil {
		return nil, Refuse(http.StatusBadRequest, "%v", err)
	}
	ev, err := m.Start(*s.setup.Load())
	if err != nil {
		return nil, Refuse(http.StatusBadRequest, "%v", err)
	}
	return nil, s.seat(w, r, ev.Take.Player, ev)
}

func (s *Server) end(_ http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	return s.state(r, game.End{}, sourceOf(r))
}
