package socket

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net/http"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/words"
)

// holderOf returns the source of events sent with a token. Only the game knows whether this source holds a seat.
func holderOf(token string) game.Source {
	sum := sha256.Sum256([]byte(token))
	return game.Source{Kind: game.Holder, ID: binary.BigEndian.Uint64(sum[:]) >> 1}
}

// holder returns the source of the token in a request's header, or the zero source if there is no token.
func holder(r *http.Request) game.Source {
	if tokens := r.Header.Values(TokenHeader); len(tokens) > 0 {
		return holderOf(tokens[0])
	}
	return game.Source{}
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
		return s.state(r, game.Leave{Why: asked.Failed}, holderOf(asked.Token))
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
	token, from := "", sourceOf(r)
	if player != board.Empty {
		token = rand.Text()
		from = holderOf(token)
	}
	v, err := s.do(r, ev, from)
	if err == nil {
		Answer(w, http.StatusCreated, api.Seated{State: api.NewState(v), Token: token})
	}
	return err
}

func (s *Server) leave(_ http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	from := holder(r)
	if from == (game.Source{}) {
		return nil, Refuse(http.StatusBadRequest, "%s: send the token of a seat in this header", TokenHeader)
	}
	return s.state(r, game.Leave{}, from)
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
