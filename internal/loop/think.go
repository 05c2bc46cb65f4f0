package loop

import (
	"context"
	"errors"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// Computer answers what the game asks, one question at a time, until the context is done.
type Computer interface {
	// Think chooses the computer's column, from 0.
	Think(context.Context, game.Think) (int, error)

	// Advise scores each column in a game.
	Advise(context.Context, board.Game) (game.Advice, error)

	// Review judges the discs of a game, the last one first. It passes each verdict to judged.
	Review(ctx context.Context, r game.Review, judged func(ply int, v game.Verdict)) error

	// Compose makes a puzzle.
	Compose(context.Context, game.Compose) (game.Puzzle, error)

	// Rest releases memory when a match is over.
	Rest()
}

// question is to be answered until its context is done.
type question struct {
	ctx    context.Context
	answer func(context.Context) (game.Event, error)
	failed game.Event // if there is no answer
}

// ask replaces the last question: the game asks one at a time.
func (l *loop) ask(answer func(context.Context) (game.Event, error), failed game.Event) {
	l.stopAsking()
	ctx, cancel := context.WithCancel(l.ctx)
	l.forget = cancel
	select {
	case <-l.questions: // not started yet
	default:
	}
	l.questions <- question{ctx, answer, failed}
}

func (l *loop) stopAsking() {
	if l.forget != nil {
		l.forget()
		l.forget = nil
	}
}

// rest releases memory as soon as no question is being answered.
func (l *loop) rest() {
	select {
	case l.resting <- struct{}{}:
	default: // already asked for
	}
}

// answer answers one question at a time: however many are asked and cancelled, they take
// the time and memory of one.
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
				ev, err = q.answer(q.ctx)
			}
			if q.ctx.Err() != nil { // cancelled
				continue
			}
			if err != nil {
				if l.Failed != nil {
					l.Failed(err)
				}
				ev = q.failed
			}
			l.send(ev, 0)
		}
	}
}
