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
	Answer(ctx context.Context, q game.Question, send func(game.Event)) (game.Event, error)

	// Rest releases memory when a match is over.
	Rest()
}

// question is a question of the game with a context that is done when the question is cancelled.
type question struct {
	game.Question
	ctx context.Context
}

// ask cancels the last question and asks q instead: the game has only one open question at a time.
func (l *loop) ask(q game.Question) {
	l.forget()
	var ctx context.Context
	ctx, l.forget = context.WithCancel(l.ctx)
	select {
	case <-l.questions: // not started yet
	default:
	}
	l.questions <- question{q, ctx}
}

// rest releases memory as soon as no question is being answered.
func (l *loop) rest() {
	select {
	case l.resting <- struct{}{}:
	default: // already asked for
	}
}

// answer answers one question at a time. However many questions are asked and cancelled, they take
// the processor time and memory of only one.
func (l *loop) answer() error {
	for {
		select {
		case <-l.ctx.Done():
			return nil
		case <-l.resting:
			if l.Computer != nil {
				l.Computer.Rest()
			}
		case q := <-l.questions:
			if q.ctx.Err() != nil {
				continue
			}
			ev, err := game.Event(nil), errors.ErrUnsupported
			if l.Computer != nil {
				ev, err = l.Computer.Answer(q.ctx, q.Question, func(ev game.Event) { l.send(ev, 0) })
			}
			if q.ctx.Err() != nil { // cancelled
				continue
			}
			if err != nil {
				ev = q.Done()
				if l.Failed != nil {
					l.Failed(err)
				}
			}
			l.send(ev, 0)
		}
	}
}
