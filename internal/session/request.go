package session

import (
	"context"

	"github.com/c4hat/c4hat/internal/game"
)

// Requests are events whose senders wait for the outcome.
type Requests chan request

type request struct {
	input
	answer chan<- answer // buffered, so sending never blocks
}

type answer struct {
	view game.View
	err  error
}

// Do sends an event to the running game and returns the view after it. The error is the
// game's refusal, or the context's error.
func (r Requests) Do(ctx context.Context, ev game.Event, from game.Source) (game.View, error) {
	answered := make(chan answer, 1)
	select {
	case r <- request{input{ev, from}, answered}:
	case <-ctx.Done():
		return game.View{}, ctx.Err()
	}
	select {
	case a := <-answered:
		return a.view, a.err
	case <-ctx.Done():
		return game.View{}, ctx.Err()
	}
}
