package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/c4hat/c4hat/internal/socket"
	"github.com/c4hat/c4hat/internal/term"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// openService opens the game on the service's HAT.
func (p *playing) openService(cmd *cobra.Command, client *socket.Client, status socket.Status, c game.Config) (*opened, error) {
	for _, name := range []string{"i2c", "rotate", "brightness", "palette", "idle", "state"} {
		if cmd.Flags().Changed(name) {
			return nil, cli.Usagef("--%s cannot change the service's settings: leave it out, or change the service's configuration", name)
		}
	}
	id, held, err := p.join(cmd, client, status, c)
	if err != nil {
		return nil, err
	}
	o := &opened{session: client, held: held, help: attachedHelp, stop: func() {}}
	var match atomic.Pointer[string] // the ID; Until may still run while report does
	match.Store(&id)
	over := false // nobody plays the match any more
	if p.picture || !c.Forever {
		o.terms.Until = func(v game.View) bool {
			id := *match.Load()
			if (id == "" || over) && v.UnderWay && v.Phase != game.Paused && v.Phase != game.Dark { // a paused match may not be the one to play
				id, over = v.ID, false
				match.Store(&id)
			}
			won := v.Match.Winner() != board.Empty
			over = over || v.ID == id && (v.Phase == game.Menu || v.Phase == game.Attract || won && (c.Forever || !p.picture))
			return id != "" && v.ID != id && !over || over && !c.Forever
		}
	}
	o.report = func(last game.View, err error) error {
		id, text := *match.Load(), ""
		switch {
		case errors.Is(err, console.ErrInputEnded):
			return fmt.Errorf("%w; %s", err, words.Continues(resuming(cmd.Flags())))
		case err != nil && !detached(err):
			return err
		case disconnected(err): // nobody reads the output, and a write might block
		case last.ID == id && last.Match.Winner() != board.Empty:
			if p.picture { // plain text has already printed the result
				err = printResult(cmd, last)
			}
			return cmp.Or(err, p.tellWhy(cmd, last))
		case err != nil && last.UnderWay:
			text = words.Continues(resuming(cmd.Flags()))
		case err != nil: // somebody left the menu
		case last.ID != id:
			text = words.Replaced
		default:
			text = words.EndedOnHAT
		}
		if text != "" {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), text)
			return err
		}
		return nil
	}
	return o, nil
}

// join starts the match, joins the one under way or opens the menu, and returns the match's ID. If a
// program plays in a new match, join takes the first program's seat from the start, and returns its
// session.
func (p *playing) join(cmd *cobra.Command, client *socket.Client, status socket.Status, c game.Config) (id string, first session.Session, err error) {
	ctx := cmd.Context()
	v, err := client.View(status.State)
	if err == nil && c.Menu && v.UnderWay && v.Phase != game.Dark {
		err = underWay(v, cmd.Flags())
	}
	if err == nil && (c.Menu || p.continues) && (v.Phase == game.Attract || v.Phase == game.Dark) {
		v, err = client.Do(ctx, game.Pause) // the first key only opens the menu, or turns the LEDs on
	}
	switch {
	case err != nil:
		return "", nil, err
	case c.Menu:
		if v.Phase == game.Aim { // the pause screen offers to resume the match, or to end it before another is chosen
			_, err = client.Do(ctx, game.Pause)
		}
		return "", nil, err
	case p.continues && !v.UnderWay:
		if v.Phase != game.Menu || v.Choices.Page != "menu" || v.Choices.Names[0] != game.EntryResume {
			return "", nil, errors.New("no match is under way on the HAT: start one without --continue")
		}
		v, err = client.Do(ctx, game.Choose{Entry: 0})
		return v.ID, nil, err
	case p.continues:
		return v.ID, nil, nil
	}
	start := game.Start{Setup: c.Setup, Force: p.force, Seed: c.Seed}
	if players := p.programs.Players(); len(players) > 0 {
		start.Take = p.programs.Seat(players[0])
	}
	started, seated, err := client.StartSeated(ctx, start)
	switch {
	case err == nil && v.UnderWay:
		fmt.Fprintf(cmd.OutOrStdout(), "%s.\n", words.Sentence(words.HATGivenUp(v.Record)))
	case errors.Is(err, game.ErrUnderWay) && v.UnderWay:
		err = underWay(v, cmd.Flags())
	}
	if start.Take.Player != board.Empty && err == nil {
		first = seated
	}
	return started.ID, first, err
}

func underWay(v game.View, flags *pflag.FlagSet) error {
	return fmt.Errorf("%w (%s): join it with %s, watch it with %s, or replace it with --force",
		game.ErrUnderWay, words.Terms(v.Record), resuming(flags), cli.Command("watch", flags, "socket", "config"))
}

func attachedHelp(v *game.View) [2]string {
	lines := term.PlayHelp(v)
	switch v.Phase {
	case game.Cheer, game.Score, game.Victory, game.Clear:
		lines[0] = strings.Replace(lines[0], "rematch", "continues", 1) // to the menu, whose selected entry is the rematch
		lines[1] = "q quit"
	}
	lines[1] = strings.Replace(lines[1], "q quit", "q leave", 1)
	return lines
}

// dial reads where the service is, and asks for its status.
func dial(cmd *cobra.Command, p *settings.Places) (*socket.Client, socket.Status, error) {
	if err := p.Read(cmd.Flags()); err != nil {
		return nil, socket.Status{}, err
	}
	client := socket.Dial(p.Socket)
	status, err := client.Status(cmd.Context())
	return client, status, err
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

func disconnected(err error) bool {
	var s cli.Signalled
	return errors.Is(err, term.ErrClosed) || errors.As(err, &s) && s.Signal == syscall.SIGHUP
}
