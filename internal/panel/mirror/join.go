package mirror

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/socket"
	"github.com/c4hat/c4hat/internal/words"
)

// Continue joins the service's match, and returns the match's ID.
func Continue(ctx context.Context, client *socket.Client, status socket.Status) (id string, err error) {
	v, err := client.View(status.State)
	switch {
	case err != nil:
		return "", err
	case !v.UnderWay:
		return "", errors.New("no match is under way on the HAT: start one without --continue")
	case v.Phase == game.Dark: // the key only turns the LEDs on
		_, err = client.Press(ctx, game.Press{Key: game.Middle})
	}
	return v.ID, err
}

// OpenMenu opens the menu on the HAT. If a match is under way and the LEDs are dark, it pauses the
// match instead: the pause screen offers to resume it, or to end it before another is chosen. If
// the LEDs are on, the error is [game.ErrUnderWay], with commands to use instead; program is the
// program's name in them.
func OpenMenu(ctx context.Context, client *socket.Client, status socket.Status, program string) error {
	v, err := client.View(status.State)
	switch {
	case err != nil:
	case v.UnderWay && v.Phase != game.Dark:
		err = underWay(v, program)
	case v.UnderWay:
		var state api.State
		// In the dark the first key only turns the LEDs on.
		if state, err = client.Press(ctx, game.Pause); err == nil && state.Phase == game.Aim.String() {
			_, err = client.Press(ctx, game.Pause)
		}
	case v.Phase == game.Attract || v.Phase == game.Dark:
		_, err = client.Press(ctx, game.Press{Key: game.Middle})
	}
	return err
}

// Start starts a match, and returns its first view, the token of the requested seat, and the
// service's view before the start, which may show a match that the new one has replaced. If another
// match is under way, the error is [game.ErrUnderWay], with commands to use instead; program is the
// program's name in them.
func Start(ctx context.Context, client *socket.Client, status socket.Status, request api.MatchRequest, program string) (v game.View, token string, old game.View, err error) {
	before, bad := client.View(status.State)
	state, err := client.Start(ctx, request)
	switch {
	case err == nil:
		v, err = client.View(state.State)
		return v, state.Token, before, err
	case errors.Is(err, game.ErrUnderWay) && bad == nil && before.UnderWay:
		err = underWay(before, program)
	}
	return game.View{}, "", game.View{}, err
}

func underWay(v game.View, program string) error {
	return fmt.Errorf("%w (%s): join it with %[3]s play --continue, watch it with %[3]s watch, or replace it with --force",
		game.ErrUnderWay, words.Terms(v.Record), program)
}

// Only identifies one match of the service.
type Only struct{ id atomic.Value } // a string

// NewOnly returns the match with an ID. An empty ID stands for the first match that is seen being
// played. A paused match does not count, because the user may choose another one instead.
func NewOnly(id string) *Only {
	o := new(Only)
	o.id.Store(id)
	return o
}

// ID returns the ID of the match, empty until there is one.
func (o *Only) ID() string { return o.id.Load().(string) }

// Over reports whether a view is from after the match. If decided is true, a view in which somebody
// has won the match counts too.
func (o *Only) Over(v game.View, decided bool) bool {
	if v.UnderWay && v.Phase != game.Paused && v.Phase != game.Dark {
		o.id.CompareAndSwap("", v.ID) // several goroutines may call Over
	}
	decided = decided && v.Match.Winner() != board.Empty
	return o.ID() != "" && (v.ID != o.ID() || v.Phase == game.Menu || v.Phase == game.Attract || decided)
}
