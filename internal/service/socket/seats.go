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
	var asked api.SeatRequest
	if err := api.Decode(body, &asked); err != nil {
		return nil, err
	}
	if err := asked.Check(); err != nil {
		return nil, err
	}
	if asked.Token != "" {
		holder, err := s.seats.source(asked.Token)
		if err != nil {
			return nil, err
		}
		return s.state(r, game.Leave{Why: asked.Failed}, holder)
	}
	v, err := s.do(r, game.Tick{}, sourceOf(r))
	if err == nil && !v.UnderWay {
		err = refused(v, game.ErrNoMatch, game.Source{})
	}
	if err != nil {
		return nil, err
	}
	player, err := api.SeatOf(v.Match.Rules(), "seat", asked.Seat)
	if err != nil {
		return nil, err
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
	v, err := s.do(r, ev, t.source)
	if err != nil {
		return err
	}
	if player != board.Empty {
		s.seats.tokens[player-board.Red] = t
	}
	Answer(w, http.StatusCreated, api.Seated{State: api.NewState(v), Token: t.text})
	return nil
}

func (s *Server) leave(_ http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	holder, err := s.holder(r)
	if err == nil && holder == (game.Source{}) {
		err = Refuse(http.StatusBadRequest, "%s: send the token of a seat in this header", TokenHeader)
	}
	if err != nil {
		return nil, err
	}
	return s.state(r, game.Leave{}, holder)
}

// notYours says why a seat forbids a key.
func notYours(v game.View, from game.Source) string {
	rules, position := v.Match.Rules(), v.Game.Position()
	switch {
	case v.Notice.Kind == game.NoticeTakenDisc:
		return words.Notice(v.Notice)
	case from.Kind == game.Holder:
		return fmt.Sprintf("it is %s's turn, which the token does not play", rules.Name(position.Turn()))
	}
	return words.Seat(rules, position.Turn(), v.Seats[position.Turn()-board.Red])
}
