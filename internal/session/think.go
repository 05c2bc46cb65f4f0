package session

import (
	"context"
	"errors"

	"github.com/c4hat/c4hat/internal/game"
)

// Computer answers the game's questions, one at a time.
type Computer interface {
	// Answer returns the answer to a question, or an error if the context is done first. Events
	// that it passes to send reach the game before the answer does.
	Answer(ctx context.Context, q game.Question, send func(game.Event)) (game.Answered, error)

	// Rest releases memory when a match is over.
	Rest()
}

// ask cancels the last question and asks q instead: the game has only one open question at a time.
func (l *Local) ask(q game.Question) {
	l.forget()
	l.open = true
	var ctx context.Context
	ctx, l.unask = context.WithCancel(l.ctx)
	l.work(ctx, func() {
		answer, err := game.Answered{}, errors.ErrUnsupported
		if l.Computer != nil {
			answer, err = l.Computer.Answer(ctx, q, func(ev game.Event) { _ = l.put(ctx, input{event: ev}) })
		}
		if ctx.Err() != nil { // cancelled
			return
		}
		if err != nil {
			answer = game.Answered{ID: q.ID, Failed: true}
			if l.Failed != nil {
				l.Failed(err)
			}
		}
		_ = l.put(ctx, input{event: answer, closes: true})
	})
}

// forget cancels the last question.
func (l *Local) forget() {
	l.unask()
	l.open = false
}

// work lets the computer do something as soon as it is free, unless the context is done by then.
// However many questions are asked and cancelled, they take the processor time and memory of only one.
func (l *Local) work(ctx context.Context, f func()) {
	l.start(func() error {
		select {
		case l.busy <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		defer func() { <-l.busy }()
		if ctx.Err() == nil {
			f()
		}
		return nil
	})
}
