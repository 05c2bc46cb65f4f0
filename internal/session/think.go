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

// thinking has the questions to the computer. One question is being answered, and at most one is
// waiting.
type thinking struct {
	questions chan question
	resting   chan struct{}

	open   bool               // the last question has not been answered or cancelled; only the loop uses it
	cancel context.CancelFunc // cancels the last question
}

func newThinking() thinking {
	return thinking{questions: make(chan question, 1), resting: make(chan struct{}, 1), cancel: func() {}}
}

// question is a question of the game with a context that is done when the question is cancelled.
type question struct {
	game.Question
	ctx context.Context
}

// ask cancels the last question and asks q instead: the game has only one open question at a time.
func (l *Local) ask(q game.Question) {
	t := &l.thinking
	t.forget()
	var ctx context.Context
	ctx, t.cancel = context.WithCancel(l.ctx)
	select {
	case <-t.questions: // not started yet
	default:
	}
	t.open = true
	t.questions <- question{q, ctx}
}

func (t *thinking) forget() {
	t.cancel()
	t.open = false
}

// rest releases memory as soon as no question is being answered.
func (t *thinking) rest() {
	select {
	case t.resting <- struct{}{}:
	default: // already asked for
	}
}

// answer answers one question at a time. However many questions are asked and cancelled, they take
// the processor time and memory of only one.
func (l *Local) answer() error {
	ctx := l.ctx
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-l.thinking.resting:
			if l.Computer != nil {
				l.Computer.Rest()
			}
		case q := <-l.thinking.questions:
			if q.ctx.Err() != nil {
				continue
			}
			ev, err := game.Event(nil), errors.ErrUnsupported
			if l.Computer != nil {
				ev, err = l.Computer.Answer(q.ctx, q.Question, func(ev game.Event) { l.send(ev, game.Source{}) })
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
			l.put(input{event: ev, closes: true})
		}
	}
}
