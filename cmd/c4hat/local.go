package main

import (
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
	"github.com/c4hat/c4hat/internal/computer"
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
	warned := new(cli.FirstWarning)
	k, err := store.OpenSaver(cmd.Context(), p.settings.Own(), slog.New(warned))
	if err != nil {
		return err
	}
	defer k.Close()
	warning := warned.Text()
	if err := store.Writable(cmd.Context(), p.settings.Own()); err != nil {
		warning, p.notice = err.Error(), words.NotSaved
	}
	given := ""
	switch {
	case !p.continues && k.Left.ID != "" && warning == "":
		switch {
		case len(p.programs.Players()) > 0 && !p.force: // the program's first disc may fall before anybody can read the warning
			return errors.New(words.SavedMatch(k.Left, resuming(cmd.Flags())))
		case picture:
			p.notice = words.ReplacesSaved
			given = words.SavedGivenUp(k.Left)
		default:
			fmt.Fprintln(cmd.OutOrStdout(), words.Sentence(words.Replaces(k.Left, resuming(cmd.Flags()))))
		}
		k.Displace()
	case !p.continues:
		k.Displace()
	case k.Left.ID != "":
	case warned.Text() != "":
		return errors.New(warned.Text())
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
		warned.Tell(cmd.ErrOrStderr())
	}
	if given != "" && k.GaveUp() {
		fmt.Fprintln(cmd.OutOrStdout(), given)
	}
	switch {
	case warning != "" || !left || !kept:
	case errors.Is(err, console.ErrInputEnded):
		return fmt.Errorf("%w; %s", err, words.Kept(resuming(cmd.Flags())))
	default:
		fmt.Fprintln(cmd.OutOrStdout(), words.Kept(resuming(cmd.Flags())))
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
		if p.display != "emulator" { // the emulator has no accelerometer
			onHAT.Follow(p.settings.Upright())
		}
		o.Panels = append(o.Panels, onHAT)
		signal.Ignore(syscall.SIGPIPE) // clear the LEDs even if nobody reads the output
	}
	var front session.Panel
	leave := func() {}
	if inTerminal {
		panel, err := term.Open(func(v *game.View) [2]string {
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
		front, leave = panel, panel.Close
	}
	v, err := p.run(cmd, session.New(s, o), front, onHAT)
	leave()
	if err == nil {
		err = printResult(cmd, v)
	}
	return (err == nil || errors.Is(err, session.ErrInterrupted)) && v.UnderWay && v.Begun(), err
}

// run plays a game of this process until it ends or the user quits, turns the HAT off, and returns
// the last view.
func (p *playing) run(cmd *cobra.Command, l *session.Local, panel session.Panel, onHAT *hatpanel.Panel) (game.View, error) {
	s, err := l.Play(cmd.Context(), panel, func(ctx context.Context) error {
		return p.programs.Join(ctx, l.As(game.Source{Kind: game.Client}), nil)
	})
	if onHAT != nil { // first: restoring the terminal may take time
		onHAT.Close()
	}
	return s.View(time.Now()), err
}

// playText plays in lines of text.
func (p *playing) playText(cmd *cobra.Command, k *store.Saver, c game.Config) (left bool, err error) {
	c.Idle, c.Attract = 0, false
	s, err := game.Resume(c, k.Left, time.Unix(0, 0))
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	panel := console.NewPanel(ctx, p.text(cmd, c))
	defer panel.Close()
	v, err := p.run(cmd, session.New(s, session.Options{Computer: newComputer(), Keeper: k, Instant: true}), panel, nil)
	return v.UnderWay && v.Begun(), err
}

// text returns the options of a match in lines of text.
func (p *playing) text(cmd *cobra.Command, c game.Config) console.Options {
	return console.Options{In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Boards: p.boards(), Newline: !onOneTerminal(cmd), Forever: c.Forever}
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

// newComputer is a variable so that a test can make the computer panic.
var newComputer = func() session.Computer { return new(computer.Computer) }

func runInTerminal(ctx context.Context, s game.State, c session.Computer) (game.State, error) {
	screen, err := term.Open(term.PlayHelp)
	if err != nil {
		return s, err
	}
	defer screen.Close()
	return session.New(s, session.Options{Computer: c}).Play(ctx, screen, nil)
}
