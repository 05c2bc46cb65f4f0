package hat

import (
	"context"
	"errors"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/game"
)

// Next waits for the joystick's next event, and for a joystick.
func (p *Panel) Next(ctx context.Context) (game.Event, error) {
	defer context.AfterFunc(ctx, p.hangUp)()
	for {
		s, err := p.openJoystick()
		if err != nil {
			return nil, err
		}
		ev, err := s.ReadEvent()
		switch {
		case err == nil:
			press := game.Press{Key: gameKey(ev.Key), Action: gameAction(ev.Action)}
			p.down = press.Key
			if press.Action == game.Released {
				p.down = 0
			}
			return press, nil
		case p.ctx.Err() != nil:
			return nil, context.Canceled
		}
		if !errors.Is(err, hat.ErrGone) {
			return nil, err
		}
		p.closeJoystick()
		if !p.lost(&p.keys, err) {
			return nil, context.Canceled
		}
		if p.down != 0 { // the key of a disconnected joystick counts as released
			released := game.Press{Key: p.down, Action: game.Released}
			p.down = 0
			return released, nil
		}
	}
}

func gameKey(k hat.Key) game.Key {
	switch k {
	case hat.Up:
		return game.Up
	case hat.Down:
		return game.Down
	case hat.Left:
		return game.Left
	case hat.Right:
		return game.Right
	}
	return game.Middle
}

func gameAction(a hat.Action) game.Action {
	switch a {
	case hat.Hold:
		return game.Held
	case hat.Release:
		return game.Released
	}
	return game.Pressed
}
