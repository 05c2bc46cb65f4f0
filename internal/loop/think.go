package loop

import (
	"context"
	"errors"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// Adviser works out what each column is worth in a game, until the context is done.
type Adviser func(context.Context, board.Game) (game.Advice, error)

// Thinker chooses the computer's column, from 0, until the context is done.
type Thinker func(context.Context, game.Think) (int, error)

// ask has somebody think; the game asks for one thing at a time.
func (l *loop) ask(answer func(context.Context) (game.Event, error), failed game.Event) {
	ctx, cancel := context.WithCancel(l.ctx)
	l.forget = cancel
	l.start(func() error {
		defer cancel()
		ev, err := answer(ctx)
		switch {
		case ctx.Err() != nil: // nobody waits for it
		case err != nil:
			if l.Failed != nil {
				l.Failed(err)
			}
			l.send(failed)
		default:
			l.send(ev)
		}
		return nil
	})
}

func (l *loop) stopAsking() {
	if l.forget != nil {
		l.forget()
		l.forget = nil
	}
}

func (l *loop) advise(ctx context.Context, g board.Game) (game.Advice, error) {
	if l.Advise == nil {
		return game.Advice{}, errors.ErrUnsupported
	}
	return l.Advise(ctx, g)
}

func (l *loop) think(ctx context.Context, t game.Think) (int, error) {
	if l.Think == nil {
		return 0, errors.ErrUnsupported
	}
	return l.Think(ctx, t)
}
