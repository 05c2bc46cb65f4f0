package play

import (
	"context"
	"errors"
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/front/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/words"
)

// openService opens the game on the service's HAT.
func (o *Options) openService(ctx context.Context, c *socket.Client, s socket.Status) (*opened, error) {
	before, err := c.View(s.State)
	if err != nil {
		return nil, err
	}
	id, err := o.join(ctx, c, before)
	if err != nil {
		return nil, err
	}
	until := func(v game.View) bool {
		// A picture shows the victory until the menu comes, where an older match may wait.
		return !o.Config.Forever && (v.ID != id || v.Phase == game.Menu || v.Phase == game.Attract || !o.Picture && v.Match.Winner() != board.Empty)
	}
	end := func(last game.View, err error) ending {
		e := ending{view: last, ours: last.ID == id || o.Config.Forever && last.ID != before.ID, listed: true, err: leaving(err)}
		switch {
		case errors.Is(err, console.ErrInputEnded), err != nil && last.UnderWay:
			e.text = words.Continues(o.Resume)
		case err != nil: // somebody left the menu
		case !e.ours && last.UnderWay:
			e.text = words.Replaced
		default:
			e.text = words.EndedOnHAT
		}
		return e
	}
	return &opened{session: c, until: until, stop: func() {}, end: end}, nil
}

// join starts the match, joins the one under way or opens the menu, and returns the match's ID, if one is
// chosen. v is what the service shows.
func (o *Options) join(ctx context.Context, client *socket.Client, v game.View) (id string, err error) {
	underWay := fmt.Errorf("%w (%s): join it with %s, watch it with %s, play beside it with --local, or replace it with --force",
		game.ErrUnderWay, words.Terms(v.Record), o.Resume, o.Watch)
	dark := v.Phase == game.Dark // the people may come back
	switch {
	case o.Config.Menu && v.UnderWay && !dark, !o.Config.Menu && !o.Continue && v.UnderWay && v.Begun() && !o.Force:
		return "", underWay
	case !o.Continue && !o.Config.Menu:
		started, err := client.Do(ctx, game.Start{Setup: o.Config.Setup, Force: o.Force, Seed: o.Config.Seed})
		switch {
		case err == nil && v.UnderWay:
			fmt.Fprintf(o.Out, "%s.\n", words.Sentence(words.HATGivenUp(v.Record)))
		case errors.Is(err, game.ErrUnderWay) && v.UnderWay:
			err = underWay
		}
		return started.ID, err
	case dark, v.Phase == game.Attract: // the first key only opens the menu, or turns the LEDs on
		if v, err = client.Do(ctx, game.Pause); err != nil {
			return "", err
		}
	}
	switch {
	case o.Config.Menu && v.Phase == game.Aim: // the pause screen offers to resume the match or to end it
		_, err = client.Do(ctx, game.Pause)
		fallthrough
	case o.Config.Menu: // no match is chosen yet
		return "", err
	case v.UnderWay:
	case v.Phase != game.Menu || v.Choices.Page != "menu" || v.Choices.Names[0] != game.EntryResume:
		return "", errors.New("no match is under way on the HAT: start one without --continue")
	default:
		v, err = client.Do(ctx, game.Choose{Entry: 0})
	}
	return v.ID, err
}
