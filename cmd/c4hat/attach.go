package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/socket"
	"github.com/c4hat/c4hat/internal/term"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/cobra"
)

// attach plays the match on the service's HAT from this terminal, or in lines of text. With
// --display hat and no terminal, it only prints the match.
func (p *playing) attach(cmd *cobra.Command, client *socket.Client, status socket.Status, c game.Config) error {
	for _, name := range []string{"i2c", "rotate", "brightness", "palette", "idle", "state"} {
		if cmd.Flags().Changed(name) {
			return cli.Usagef("--%s cannot change the service's settings: leave it out, or change the service's configuration", name)
		}
	}
	id, first, err := p.join(cmd.Context(), cmd.OutOrStdout(), client, status, c)
	if err != nil {
		return err
	}
	match := newOnly(id)
	var until func(game.View) bool
	if !c.Forever {
		until = func(v game.View) bool { return match.over(v, !p.picture) } // plain text ends when the match is won, a picture stays until people leave it
	}
	if err := p.programs.Join(cmd.Context(), client, first); err != nil {
		return err
	}
	help := func(v *game.View) [2]string {
		lines := attachedHelp(v)
		if c.Menu && match.ID() == "" && v.Phase == game.Paused {
			lines[0] = "a match is waiting:  resume or end it"
		}
		return lines
	}
	terms := session.Terms{Until: until}
	var panel session.Panel
	if p.picture || p.display == "hat" {
		var leave func()
		if panel, leave, err = watcher(cmd, p.picture, help, p.boards()); err != nil {
			return err
		}
		defer leave()
	} else {
		ctx, cancel := context.WithCancel(cmd.Context())
		defer cancel()
		o := p.text(cmd, c)
		o.Unaided = len(p.programs.Players()) > 0
		panel = console.NewPanel(ctx, o)
	}
	last, err := session.Attach(cmd.Context(), client, panel, terms).Wait()
	if front, ok := panel.(interface{ Close() }); ok {
		front.Close()
	}
	id, text := match.ID(), ""
	switch {
	case errors.Is(err, console.ErrInputEnded):
		return fmt.Errorf("%w; %s", err, words.Continues(resuming(cmd.Flags())))
	case err != nil && !detached(err):
		return err
	case disconnected(err): // nobody reads the output, and a write might block
	case last.ID == id && last.Match.Winner() != board.Empty:
		if p.picture { // plain text has already printed the result
			return printResult(cmd, last)
		}
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

// join starts the match, or joins the one under way, and returns the match's ID. If a program plays
// in a new match, join takes the first program's seat from the start, and returns its session.
func (p *playing) join(ctx context.Context, out io.Writer, client *socket.Client, status socket.Status, c game.Config) (id string, first session.Session, err error) {
	before, err := client.View(status.State)
	switch {
	case err != nil:
		return "", nil, err
	case p.continues && !before.UnderWay:
		return "", nil, errors.New("no match is under way on the HAT: start one without --continue")
	case p.continues:
		if before.Phase == game.Dark { // the key only turns the LEDs on
			_, err = client.Do(ctx, game.Press{Key: game.Middle})
		}
		return before.ID, nil, err
	case c.Menu:
		return "", nil, openMenu(ctx, client, before)
	}
	start := game.Start{Setup: c.Setup, Force: p.force, Seed: c.Seed}
	if players := p.programs.Players(); len(players) > 0 {
		start.Take = p.programs.Seat(players[0])
	}
	v, seated, err := client.StartSeated(ctx, start)
	switch {
	case err == nil && before.UnderWay:
		fmt.Fprintf(out, "%s.\n", words.Sentence(words.HATGivenUp(before.Record)))
	case errors.Is(err, game.ErrUnderWay) && before.UnderWay:
		err = underWay(before)
	}
	if start.Take.Player != board.Empty && err == nil {
		first = seated
	}
	return v.ID, first, err
}

// openMenu opens the menu on the HAT. If a match is under way and the LEDs are dark, it pauses the
// match instead: the pause screen offers to resume it, or to end it before another is chosen. If
// the LEDs are on, the error is [game.ErrUnderWay], with commands to use instead.
func openMenu(ctx context.Context, s session.Session, v game.View) (err error) {
	switch {
	case v.UnderWay && v.Phase != game.Dark:
		return underWay(v)
	case v.UnderWay:
		// In the dark the first key only turns the LEDs on.
		if v, err = s.Do(ctx, game.Pause); err == nil && v.Phase == game.Aim {
			_, err = s.Do(ctx, game.Pause)
		}
	case v.Phase == game.Attract || v.Phase == game.Dark:
		_, err = s.Do(ctx, game.Press{Key: game.Middle})
	}
	return err
}

func underWay(v game.View) error {
	return fmt.Errorf("%w (%s): join it with %[3]s play --continue, watch it with %[3]s watch, or replace it with --force",
		game.ErrUnderWay, words.Terms(v.Record), cli.Program())
}

// only identifies one match of the service.
type only struct{ id atomic.Value } // a string

// newOnly returns the match with an ID. An empty ID stands for the first match that is seen being
// played. A paused match does not count, because the user may choose another one instead.
func newOnly(id string) *only {
	o := new(only)
	o.id.Store(id)
	return o
}

// ID returns the ID of the match, empty until there is one.
func (o *only) ID() string { return o.id.Load().(string) }

// over reports whether a view is from after the match. If decided is true, a view in which somebody
// has won the match counts too.
func (o *only) over(v game.View, decided bool) bool {
	if v.UnderWay && v.Phase != game.Paused && v.Phase != game.Dark {
		o.id.CompareAndSwap("", v.ID) // another goroutine may draw the help, which reads it
	}
	decided = decided && v.Match.Winner() != board.Empty
	return o.ID() != "" && (v.ID != o.ID() || v.Phase == game.Menu || v.Phase == game.Attract || decided)
}

func attachedHelp(v *game.View) [2]string {
	lines := term.PlayHelp(v)
	lines[1] = strings.Replace(lines[1], "q quit", "q leave", 1)
	return lines
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
