package loop

import (
	"context"

	"github.com/c4hat/c4hat/internal/game"
)

// Requests are events from somebody who wants to know what came of them.
type Requests chan request

type request struct {
	input
	answer chan<- answer // takes one at once
}

type answer struct {
	view game.View
	err  error
}

// Do hands an event to the game that runs, waits until it has happened and gives
// the view then. The error is why it was refused, or the context's.
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

// refusal is the error of an event that was not let happen.
func refusal(effects []game.Effect) error {
	for _, e := range effects {
		if e, ok := e.(game.Refused); ok {
			return e.Err
		}
	}
	return nil
}
