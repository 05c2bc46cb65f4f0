package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/front/console"
	"github.com/c4hat/c4hat/internal/front/term"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/words"
)

// openService opens the game on the service's HAT.
func (o *Options) openService(ctx context.Context, c *socket.Client, s socket.Status) (*opened, error) {
	id, held, err := o.join(ctx, c, s)
	if err != nil {
		return nil, err
	}
	var played atomic.Value // the ID of the last match; Until may still run while report does
	played.Store(id)
	until := func(v game.View) bool {
		if o.Config.Forever {
			if v.UnderWay && v.Phase != game.Paused && v.Phase != game.Dark { // else it may not be the match to play
				played.Store(v.ID)
			}
			return false
		}
		// A picture shows the victory until the menu comes, where an older match may wait.
		return v.ID != id || v.Phase == game.Menu || v.Phase == game.Attract || !o.Picture && v.Match.Winner() != board.Empty
	}
	report := func(last game.View, err error) error {
		ours := last.ID == played.Load()
		switch {
		case errors.Is(err, console.ErrInputEnded):
			return fmt.Errorf("%w; %s", err, words.Continues(o.Resume))
		case err != nil && !detached(err):
			return err
		case disconnected(err): // nobody reads the output, and a write might block
			return nil
		case ours && last.Match.Winner() != board.Empty:
			err = nil
			if o.Picture { // plain text has already printed the result
				err = o.printResult(last)
			}
			return cmp.Or(err, o.tellNext(last))
		case err != nil && last.UnderWay:
			return o.say(words.Continues(o.Resume))
		case err != nil: // somebody left the menu
			return nil
		case !ours && last.UnderWay:
			return o.say(words.Replaced)
		}
		return o.say(words.EndedOnHAT)
	}
	return &opened{session: c, held: held, terms: session.Terms{Until: until}, stop: func() {}, report: report}, nil
}

// join starts the match, joins the one under way or opens the menu, and returns the match's ID. If a
// program plays in a new match, join takes the first program's seat from the start, and returns its
// session.
func (o *Options) join(ctx context.Context, client *socket.Client, status socket.Status) (id string, held session.Session, err error) {
	v, err := client.View(status.State)
	underWay := func(v game.View) error {
		return fmt.Errorf("%w (%s): join it with %s, watch it with %s, play beside it with --local, or replace it with --force",
			game.ErrUnderWay, words.Terms(v.Record), o.Resume, o.Watch)
	}
	switch dark := v.Phase == game.Dark; {
	case err != nil:
		return "", nil, err
	case o.Config.Menu && v.UnderWay && !dark, !o.Config.Menu && !o.Continue && v.UnderWay && v.Begun() && !o.Force:
		return "", nil, underWay(v) // also in the dark: the people may come back
	case o.Continue || o.Config.Menu:
		if dark || v.Phase == game.Attract {
			v, err = client.Do(ctx, game.Pause) // the first key only opens the menu, or turns the LEDs on
		}
		switch {
		case err != nil:
		case o.Config.Menu && v.Phase == game.Aim: // the pause screen offers to resume the match or to end it
			_, err = client.Do(ctx, game.Pause)
		case o.Continue && !v.UnderWay:
			if v.Phase != game.Menu || v.Choices.Page != "menu" || v.Choices.Names[0] != game.EntryResume {
				return "", nil, errors.New("no match is under way on the HAT: start one without --continue")
			}
			v, err = client.Do(ctx, game.Choose{Entry: 0})
		}
		if o.Config.Menu {
			v.ID = "" // none is chosen yet
		}
		return v.ID, nil, err
	}
	start := game.Start{Setup: o.Config.Setup, Force: o.Force, Seed: o.Config.Seed}
	if players := o.programs.Players(); len(players) > 0 {
		start.Take = o.programs.Seat(players[0])
	}
	started, seated, err := client.StartSeated(ctx, start)
	switch {
	case err == nil && v.UnderWay:
		fmt.Fprintf(o.Out, "%s.\n", words.Sentence(words.HATGivenUp(v.Record)))
	case errors.Is(err, game.ErrUnderWay) && v.UnderWay:
		err = underWay(v)
	}
	return started.ID, seated, err
}

// leaving returns the error of a command that may end before the match does.
func leaving(err error) error {
	if detached(err) {
		return nil
	}
	return err
}

// detached reports whether the command ended, but not the match: after q or Ctrl-C, or because
// the terminal's connection dropped.
func detached(err error) bool {
	return errors.Is(err, session.ErrLeft) || errors.Is(err, session.ErrInterrupted) || disconnected(err)
}

func disconnected(err error) bool { return errors.Is(err, term.ErrClosed) || cli.HungUp(err) }
