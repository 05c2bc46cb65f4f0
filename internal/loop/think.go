package loop

import (
	"context"
	"errors"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// Adviser scores each column in a game, until the context is done.
type Adviser func(context.Context, board.Game) (game.Advice, error)

// Thinker chooses the computer's column, from 0, until the context is done.
type Thinker func(context.Context, game.Think) (int, error)

// Reviewer judges the discs of a game, the last one first, until the context is done. It
// passes each verdict to judged.
type Reviewer func(ctx context.Context, r game.Review, judged func(ply int, v game.Verdict)) error

// Composer makes a puzzle, until the context is done.
type Composer func(context.Context, game.Compose) (game.Puzzle, error)

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
			l.call(l.Options.Rest)
		case q := <-l.questions:
			if q.ctx.Err() != nil {
				continue
			}
			ev, err := q.answer(q.ctx)
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

func (l *loop) advise(ctx context.Context, g board.Game) (game.Advice, error) {
	if l.Advise == nil {
		return game.Advice{}, errors.ErrUnsupported
	}
	return l.Advise(ctx, g)
}

func (l *loop) review(ctx context.Context, r game.Review) error {
	if l.Review == nil {
		return errors.ErrUnsupported
	}
	return l.Review(ctx, r, func(ply int, v game.Verdict) {
		l.send(game.Judged{ID: r.ID, Ply: ply, Verdict: v}, 0)
	})
}

func (l *loop) compose(ctx context.Context, c game.Compose) (game.Puzzle, error) {
	if l.Compose == nil {
		return game.Puzzle{}, errors.ErrUnsupported
	}
	return l.Compose(ctx, c)
}

func (l *loop) think(ctx context.Context, t game.Think) (int, error) {
	if l.Think == nil {
		return 0, errors.ErrUnsupported
	}
	return l.Think(ctx, t)
}
