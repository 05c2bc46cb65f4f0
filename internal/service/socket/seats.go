package socket

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"sync"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/words"
)

// TokenHeader is the name of the request header with the token of a seat.
const TokenHeader = "C4hat-Token"

// VoiceHeader is the name of the request header of a stream of events that is read aloud.
const VoiceHeader = "C4hat-Voice"

// seats has the tokens of the two seats. A token stays here until another one replaces it, even if
// its seat is free again: only the game knows which seats are taken.
type seats struct {
	mu     sync.Mutex
	tokens [2]token
}

// token proves that a request comes from the holder of a seat.
type token struct {
	text   string
	source game.Source
}

// source returns the source of events sent with a token.
func (s *seats) source(text string) (game.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tokens {
		if text != "" && subtle.ConstantTimeCompare([]byte(text), []byte(t.text)) == 1 {
			return t.source, nil
		}
	}
	return game.Source{}, refused(game.View{}, game.ErrNoSeat, game.Source{})
}

// holder returns the source of the token in a request's header, or the zero source if there is no token.
func (s *Server) holder(r *http.Request) (game.Source, error) {
	if texts := r.Header.Values(TokenHeader); len(texts) > 0 {
		return s.seats.source(texts[0])
	}
	return game.Source{}, nil
}

func (s *Server) take(w http.ResponseWriter, r *http.Request, body []byte) (any, error) {
	asked, err := api.ReadSeat(body)
	if err != nil {
		return nil, Refuse(http.StatusBadRequest, "%v", err)
	}
	if asked.Token != "" {
		holder, err := s.seats.source(asked.Token)
		if err != nil {
			return nil, err
		}
		return s.state(r, game.Leave{Why: asked.Failed}, holder)
	}
	v, err := s.do(r, game.Tick{}, sourceOf(r))
	if err != nil {
		return nil, err
	}
	if !v.UnderWay {
		return nil, refused(v, game.ErrNoMatch, game.Source{})
	}
	player, err := api.SeatOf(v.Match.Rules(), "seat", asked.Seat)
	if err != nil {
		return nil, Refuse(http.StatusBadRequest, "%v", err)
	}
	return nil, s.seat(w, r, player, game.Take{Player: player, Holder: asked.Name})
}

// seat passes the game an event that takes a player's seat, and answers with the seat's token. If
// the player is Empty, the event takes no seat.
func (s *Server) seat(w http.ResponseWriter, r *http.Request, player board.Disc, ev game.Event) error {
	t := token{source: sourceOf(r)}
	if player != board.Empty {
		s.seats.mu.Lock() // so that the token kept last is that of the seat's last holder
		defer s.seats.mu.Unlock()
		t = token{rand.Text(), game.Source{Kind: game.Holder, ID: mathrand.Uint64() >> 1}}
	}
	state, err := s.state(r, ev, t.source)
	if err != nil {
		return err
	}
	if player != board.Empty {
		s.seats.tokens[player-board.Red] = t
	}
	Answer(w, http.StatusCreated, api.Seated{State: state, Token: t.text})
	return nil
}

func (s *Server) leave(_ http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	holder, err := s.holder(r)
	switch {
	case err != nil:
		return nil, err
	case holder == (game.Source{}):
		return nil, Refuse(http.StatusBadRequest, "%s: send the token of a seat in this header", TokenHeader)
	}
	return s.state(r, game.Leave{}, holder)
}

// notYours says why a seat forbids a key.
func notYours(v game.View, from game.Source) string {
	rules, position := v.Match.Rules(), v.Game.Position()
	reason := words.Seat(rules, position.Turn(), v.Seats[position.Turn()-board.Red])
	switch {
	case v.Notice.Kind == game.NoticeTakenDisc:
		reason = words.Notice(v.Notice)
	case from.Kind == game.Holder:
		reason = fmt.Sprintf("it is %s's turn, which the token does not play", rules.Name(position.Turn()))
	}
	return reason
}
