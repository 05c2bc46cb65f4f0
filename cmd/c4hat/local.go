package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/hatpanel"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/c4hat/c4hat/internal/term"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// here plays in this process and saves the matches in the user's own folder.
func (p *playing) here(cmd *cobra.Command, c game.Config, picture bool, play func(*store.Saver, game.Config) (left bool, err error)) error {
	complaint := new(cli.Complaint)
	k, err := store.OpenSaver(cmd.Context(), p.settings.Own(), slog.New(complaint))
	if err != nil {
		return err
	}
	defer k.Close()
	warning := complaint.Text()
	if err := store.Writable(cmd.Context(), p.settings.Own()); err != nil {
		warning, p.notice = err.Error(), "this match will not be saved"
	}
	given := ""
	switch {
	case !p.continues && k.Left.ID != "" && warning == "":
		terms := words.Terms(k.Left)
		switch {
		case len(p.programs.Players()) > 0 && !p.force: // the program's first disc may fall before anybody can read the warning
			return fmt.Errorf("there is a saved match (%s): %s resumes it, and --force replaces it", terms, resuming(cmd.Flags()))
		case picture:
			p.notice = "the first disc replaces your saved match"
			given = fmt.Sprintf("the saved match was given up (%s)", terms)
		default:
			fmt.Fprintf(cmd.OutOrStdout(), "The first disc replaces the saved match (%s). To resume that match instead: %s\n", terms, resuming(cmd.Flags()))
		}
		k.Displace()
	case !p.continues:
		k.Displace()
	case k.Left.ID != "":
	case complaint.Text() != "":
		return errors.New(complaint.Text())
	case k.HeldElsewhere:
		return errors.New("your match is being played in another terminal: quit there first")
	default:
		return errors.New("there is no match to resume: start one without --continue")
	}
	if d := k.Left.Computer; p.continues && d != board.Empty && slices.Contains(p.programs.Players(), d) {
		return fmt.Errorf("in that match %s is the computer, and cannot be a program", k.Left.Match.Rules().Name(d))
	}
	if warning != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "c4hat:", warning)
	}
	left, err := play(k, k.Config(c))
	kept := k.Close()
	if warning == "" {
		complaint.Tell(cmd.ErrOrStderr())
	}
	if given != "" && k.GaveUp() {
		fmt.Fprintln(cmd.OutOrStdout(), given)
	}
	switch {
	case warning != "" || !left || !kept:
	case errors.Is(err, console.ErrInputEnded):
		return fmt.Errorf("%w: it is kept, and %s resumes it", err, resuming(cmd.Flags()))
	default:
		fmt.Fprintf(cmd.OutOrStdout(), "the match is kept: %s resumes it\n", resuming(cmd.Flags()))
	}
	return err
}

// playOn plays on the HAT, unless onHAT is nil, and in the terminal if inTerminal is true. left
// reports whether the match can be resumed.
func (p *playing) playOn(cmd *cobra.Command, k *store.Saver, c game.Config, onHAT *hatpanel.Panel, inTerminal bool) (left bool, err error) {
	people := 2 - len(p.programs.Players())
	if c.Computer != board.Empty {
		people--
	}
	c.Waits = onHAT == nil && people > 0
	s, err := game.Resume(c, k.Left, time.Now())
	if err != nil {
		return false, err
	}
	o := session.Options{Computer: newComputer(), Keeper: k}
	if onHAT != nil {
		onHAT.SetColours(p.settings.Colours())
		if p.display.Word != "emulator" { // the emulator has no accelerometer
			onHAT.Follow(p.settings.Upright())
		}
		o.Panels = append(o.Panels, onHAT)
		signal.Ignore(syscall.SIGPIPE) // clear the LEDs even if nobody reads the output
	}
	var panel *term.Panel
	if inTerminal {
		panel, err = term.Open(func(v *game.View) [2]string {
			lines := term.PlayHelp(v)
			if p.notice != "" && v.Phase == game.Aim && !v.Begun() {
				lines[0] = p.notice
			}
			return lines
		})
		if err != nil {
			return false, err
		}
		panel.Colours = p.settings.Colours()
		defer panel.Close()
	}
	v, err := p.run(cmd, session.New(s, o), panel, onHAT)
	if err == nil {
		err = printResult(cmd, v)
	}
	return (err == nil || errors.Is(err, session.ErrInterrupted)) && v.UnderWay && v.Begun(), err
}

// run plays a game of this process until it ends or the user quits, closes the panels, and returns
// the last view.
func (p *playing) run(cmd *cobra.Command, l *session.Local, panel *term.Panel, onHAT *hatpanel.Panel) (game.View, error) {
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	go func() {
		// The programs first, so that the terminal never shows keys for their discs.
		err := p.programs.Join(ctx, l.As(game.Source{Kind: game.Client}), nil)
		if err == nil && panel != nil {
			_, err = session.Attach(ctx, l.As(game.Source{ID: 1}), panel, session.Terms{}).Wait()
			err = cmp.Or(err, session.ErrEnded)
		}
		if err != nil {
			cancel(err)
		}
	}()
	s, err := l.Run(ctx)
	if onHAT != nil { // first: restoring the terminal may take time
		onHAT.Close()
	}
	if panel != nil {
		panel.Close()
	}
	if errors.Is(err, session.ErrLeft) || errors.Is(err, session.ErrEnded) {
		err = nil
	}
	return s.View(time.Now()), err
}

// resuming returns the command that resumes this match, with the flags that are needed to find it.
func resuming(flags *pflag.FlagSet) string {
	text := cli.Program() + " play --continue"
	for _, name := range []string{"local", "display", "state"} {
		switch f := flags.Lookup(name); {
		case !f.Changed:
		case f.Value.Type() == "bool":
			text += " --" + name
		case strings.ContainsAny(f.Value.String(), " '\"$"):
			text += fmt.Sprintf(" --%s %q", name, f.Value)
		default:
			text += fmt.Sprintf(" --%s %s", name, f.Value)
		}
	}
	return text
}
