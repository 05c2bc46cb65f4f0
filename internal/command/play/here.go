package play

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/c4hat/c4hat/internal/words"
)

// openHere starts a game in this process. It saves the matches in the user's own folder.
func (o *Options) openHere(ctx context.Context) (*opened, error) {
	warned := new(cli.FirstWarning)
	k, err := store.OpenSaver(ctx, o.Settings.Own(), slog.New(warned))
	if err != nil {
		return nil, err
	}
	g, err := o.resume(ctx, k, warned)
	if err != nil {
		k.Close()
	}
	return g, err
}

// resume starts the match that the options choose, or resumes the saved one.
func (o *Options) resume(ctx context.Context, k *store.Saver, warned *cli.FirstWarning) (*opened, error) {
	warning := warned.Text()
	if k.Unsaved != nil {
		warning = fmt.Sprintf("this match will not be kept: %v; --state names another folder", k.Unsaved)
	}
	c, left := k.Config(o.Config), game.Record{}
	switch {
	case k.Left.Begun() && o.Continue:
		left = k.Left
	case k.Left.Begun() && warning == "":
		c.Parked = k.Left
	case !o.Continue:
	case errors.Is(k.Unsaved, store.ErrOpen):
		return nil, errors.New("your match is open in another terminal, or in c4hat web: quit it there first")
	case k.Unsaved != nil:
		return nil, k.Unsaved
	case warned.Text() != "":
		return nil, errors.New(warned.Text())
	default:
		return nil, errors.New("there is no match to resume: start one without --continue")
	}
	if _, plays := o.Programs[left.Computer]; plays {
		return nil, fmt.Errorf("in that match %s is the computer, and cannot be a program", left.Match.Rules().Name(left.Computer))
	}
	g := &opened{here: true}
	if warning != "" {
		fmt.Fprintln(o.Errs, "c4hat:", warning)
		g.note = words.NotSaved
	}
	c.Waits = o.Picture && (len(o.Programs) == 0 || len(o.Programs) == 1 && c.Computer == board.Empty)
	c.Idle, c.Attract = 0, false // only LEDs go dark
	now := time.Unix(0, 0)
	if o.Picture {
		now = time.Now()
	}
	state, err := game.Resume(c, left, now)
	if err != nil {
		return nil, err
	}
	if c.Parked.ID != "" && !o.Force {
		_, program := o.Programs[state.View(now).Game.Position().Turn()]
		switch {
		case program || state.Phase() == game.Thinking: // a disc would fall before anybody can read the warning
			return nil, errors.New(words.WouldReplace(c.Parked, o.Resume))
		case !o.Picture: // a picture says so beside the board
			_ = o.say(words.Sentence(words.SavedMatch(c.Parked, o.Resume)))
		}
	}
	l := session.New(state, session.Options{Computer: o.Computer, Keeper: k, Instant: !o.Picture})
	_, stop := l.Start(ctx)
	var ended error
	g.stop = func() { state, ended = stop() }
	g.session = l.As(game.Source{ID: 1})
	g.end = func(_ game.View, err error) ending {
		if err == nil || errors.Is(err, session.ErrLeft) {
			err = ended
		}
		kept := k.Close()
		e := ending{view: state.View(time.Now()), ours: true, listed: kept && warning == "", err: err}
		if warning == "" {
			e.warning = warned.Text()
		}
		switch {
		case state.Kept() && kept:
			e.text = words.Kept(o.Resume)
		case state.Kept():
			e.warning = words.NotKept
		case o.Picture && state.Phase() == game.Over: // plain text has said so
			e.text = words.NobodyWins
		}
		return e
	}
	return g, nil
}
