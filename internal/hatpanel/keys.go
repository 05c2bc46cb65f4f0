package hatpanel

import (
	"context"
	"errors"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/game"
)

// Next waits for the joystick's next event. If there is no joystick, it waits for one.
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
			press := game.Press{Key: gameKeys[ev.Key], Action: gameActions[ev.Action]}
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

var (
	gameKeys    = [...]game.Key{hat.Up: game.Up, hat.Down: game.Down, hat.Left: game.Left, hat.Right: game.Right, hat.Middle: game.Middle}
	gameActions = [...]game.Action{hat.Press: game.Pressed, hat.Hold: game.Held, hat.Release: game.Released}
)
