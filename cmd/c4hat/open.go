package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/emulator"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/hatpanel"
	"github.com/c4hat/c4hat/internal/pi"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/socket"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/c4hat/c4hat/internal/term"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// opened is a game to play, here or on the service.
type opened struct {
	session session.Session
	held    session.Session // the seat of the first program, if it is taken already
	terms   session.Terms
	help    term.Help
	note    func(*game.View) string // see [term.Panel]; nil: none
	here    *session.Local          // nil: the game runs on the service
	stop    func()                  // ends a game that runs here, and turns its LEDs off
	// report says how the game ended or how it goes on, after stop. last is the last view that the
	// front was given, and err why the front ended.
	report func(last game.View, err error) error
}

// open opens the game where --display says. The default is the service's HAT, else a HAT without the
// service, else the terminal. If input or output is not a terminal, the match is lines of text. A device
// that the command line names is played on without the service.
func (p *playing) open(cmd *cobra.Command, c game.Config) (*opened, error) {
	display, device := p.display, cmd.Flags().Changed("fb") || cmd.Flags().Changed("stick")
	switch {
	case display != "auto":
	case device:
		display = "hat"
	case p.local && p.picture:
		display = "terminal"
	}
	if !device && !p.local && display != "terminal" && display != "emulator" {
		client := socket.Dial(p.settings.Socket)
		status, err := client.Status(cmd.Context())
		if err == nil {
			return p.openService(cmd, client, status, c)
		}
		if cmd.Flags().Changed("socket") || !errors.Is(err, socket.ErrNoDaemon) {
			return nil, err
		}
	}
	var panel *hatpanel.Panel
	var err error
	switch {
	case display == "plain", display == "auto" && !p.picture:
	case display == "terminal":
		if !onOneTerminal(cmd) {
			return nil, errors.New("standard input or output is not a terminal: use --display plain")
		}
		p.picture = true
	case display == "emulator":
		panel, err = openEmulator(p.settings.Emulator(cmd.Flags()), p.picture)
	default:
		panel, err = openHAT(p.settings.HAT(), p.picture)
		switch missing := errors.Is(err, hat.ErrNotFound); {
		case missing && display == "auto":
			err = nil
		case missing:
			err = fmt.Errorf("%w (%s); c4hat doctor checks everything the HAT needs", err, pi.Describe())
		case err != nil && display == "auto":
			err = fmt.Errorf("%w; to play in the terminal, add --display terminal", err)
		}
	}
	if err != nil {
		return nil, err
	}
	o, err := p.openHere(cmd, c, panel)
	if err != nil && panel != nil {
		panel.Close()
	}
	return o, err
}

// openHere starts a game in this process. It saves the matches in the user's own folder. If panel is
// not nil, the game is also on its HAT.
func (p *playing) openHere(cmd *cobra.Command, c game.Config, panel *hatpanel.Panel) (_ *opened, err error) {
	warned := new(cli.FirstWarning)
	k, err := store.OpenSaver(cmd.Context(), p.settings.Own(), slog.New(warned))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			k.Close()
		}
	}()
	resume := resuming(cmd.Flags())
	warning, notice, replaces := warned.Text(), "", ""
	if err := store.Writable(cmd.Context(), p.settings.Own()); err != nil {
		warning, notice = err.Error(), words.NotSaved
	}
	c = k.Config(c)
	left := k.Left
	switch {
	case p.continues && left.Begun():
	case p.continues && warned.Text() != "":
		return nil, errors.New(warned.Text())
	case p.continues && k.HeldElsewhere:
		return nil, errors.New("your match is being played in another terminal: quit there first")
	case p.continues:
		return nil, errors.New("there is no match to resume: start one without --continue")
	case left.Begun() && warning == "":
		switch {
		case len(p.programs.Players()) > 0 && !p.force: // the program's first disc may fall before anybody can read the warning
			return nil, errors.New(words.SavedMatch(left, resume))
		case p.picture:
			notice = words.ReplacesSaved
		default:
			replaces = words.Sentence(words.Replaces(left, resume))
		}
		c.Parked = left
		fallthrough
	default:
		left = game.Record{}
	}
	if d := left.Computer; d != board.Empty && slices.Contains(p.programs.Players(), d) {
		return nil, fmt.Errorf("in that match %s is the computer, and cannot be a program", left.Match.Rules().Name(d))
	}
	if warning != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "c4hat:", warning)
	}

	text := panel == nil && !p.picture
	players := len(p.programs.Players())
	c.Waits = panel == nil && !text && (players == 0 || players == 1 && c.Computer == board.Empty)
	if panel == nil { // only LEDs go dark
		c.Idle, c.Attract = 0, false
	}
	o := session.Options{Computer: newComputer(), Keeper: k, Instant: text}
	if panel != nil {
		panel.SetColours(p.settings.Colours())
		if p.display != "emulator" { // the emulator has no accelerometer
			panel.Follow(p.settings.Upright())
			panel.Dim(p.settings.Room())
		}
		o.Panels = []session.Panel{panel}
		signal.Ignore(syscall.SIGPIPE) // clear the LEDs even if nobody reads the output
	}
	now := time.Now()
	if text {
		now = time.Unix(0, 0)
	}
	state, err := game.Resume(c, left, now)
	switch {
	case err != nil:
		return nil, err
	case replaces != "" && text && state.Phase() == game.Thinking && !p.force: // its disc would fall before anybody can answer
		return nil, errors.New(words.SavedMatch(c.Parked, resume))
	case replaces != "":
		fmt.Fprintln(cmd.OutOrStdout(), replaces)
	}
	l := session.New(state, o)
	end := l.Start(cmd.Context())
	ended := error(nil)
	return &opened{
		session: l.As(game.Source{ID: 1}), here: l,
		stop: func() {
			state, ended = end()
			if panel != nil {
				panel.Close()
			}
		},
		help: func(v *game.View) [2]string {
			if !c.Forever && v.Match.Winner() != board.Empty { // nothing follows
				return [2]string{"Enter continues", "q quit"}
			}
			return term.PlayHelp(v)
		},
		note: func(v *game.View) string {
			switch {
			case v.Begun() && notice == words.ReplacesSaved:
				notice = ""
			case v.Phase == game.Aim && !v.Begun():
				return notice
			}
			return ""
		},
		report: func(_ game.View, err error) error {
			if err == nil || errors.Is(err, session.ErrLeft) {
				err = ended
			}
			if !text && err == nil {
				err = printResult(cmd, state.View(time.Now()))
			}
			keeps := state.Kept() && (text || err == nil || errors.Is(err, session.ErrInterrupted))
			kept := k.Close()
			if warning == "" {
				warned.Tell(cmd.ErrOrStderr())
			}
			if err == nil && kept && warning == "" {
				err = p.tellWhy(cmd, state.View(time.Now()))
			}
			switch {
			case !keeps || !kept || warning != "":
			case errors.Is(err, console.ErrInputEnded):
				return fmt.Errorf("%w; %s", err, words.Kept(resume))
			default:
				fmt.Fprintln(cmd.OutOrStdout(), words.Kept(resume))
			}
			return err
		},
	}, nil
}

// openHAT opens the HAT. If there is a keyboard, the joystick may be missing at first.
func openHAT(o *hat.Opts, keyboard bool) (*hatpanel.Panel, error) {
	matrix, err := hat.OpenMatrix(o)
	if err != nil {
		return nil, err
	}
	stick, err := hat.OpenJoystick(o)
	if err != nil && !(keyboard && errors.Is(err, hat.ErrNotFound)) {
		matrix.Close() // err is the error to report
		return nil, err
	}
	return hatpanel.New(o, matrix, stick, cli.LogBeside(keyboard)), nil
}

// openEmulator opens the Sense HAT emulator, which must be running.
func openEmulator(o *hat.Opts, picture bool) (*hatpanel.Panel, error) {
	var e emulator.Devices
	stick, err := e.OpenJoystick(o) // first: its error says whether the emulator is running
	if err != nil {
		return nil, err
	}
	matrix, err := e.OpenMatrix(o)
	if err != nil {
		stick.Close() // err is the error to report
		return nil, err
	}
	return hatpanel.NewOf(e, o, matrix, stick, cli.LogBeside(picture)), nil
}

// why returns the command that says which discs decided the last match.
func (p *playing) why(cmd *cobra.Command) string {
	names := []string{"state", "socket", "config"}
	if p.display == "plain" {
		names = append(names, "display")
	}
	return cli.Command("analyse", cmd.Flags(), names...)
}

// tellWhy prints, in a terminal, how to find out why a match ended as it did.
func (p *playing) tellWhy(cmd *cobra.Command, v game.View) error {
	if v.Match.Winner() == board.Empty || v.Unattended() || v.Match.Rules().Connect != board.Standard.Connect || !cli.IsTerminal(cmd.OutOrStdout()) {
		return nil
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), words.Decided(p.why(cmd)))
	return err
}

// printResult prints how the match ended, if it did, after the terminal's picture is gone.
func printResult(cmd *cobra.Command, v game.View) error {
	ended := ""
	if v.Phase == game.Over && v.Match.Winner() == board.Empty {
		ended = words.NobodyWins
	}
	if v.Match.Winner() != board.Empty && v.Unattended() { // the last picture did not wait for a key press
		if err := console.Board(cmd.OutOrStdout(), v.Game.Position()); err != nil {
			return err
		}
	}
	var text strings.Builder
	for _, line := range []string{words.Person(v.Match, v.Computer, v.Seats), words.Match(v.Match), ended} {
		if line != "" {
			text.WriteString(line + "\n")
		}
	}
	_, err := io.WriteString(cmd.OutOrStdout(), text.String())
	return err
}

// resuming returns the command that resumes this match, with the flags that are needed to find it.
func resuming(flags *pflag.FlagSet) string {
	return cli.Command("play --continue", flags, "local", "display", "state", "socket", "config")
}

// newComputer is a variable so that a test can make the computer panic.
var newComputer = func() session.Computer { return new(computer.Computer) }

func runInTerminal(ctx context.Context, s game.State, c session.Computer) (game.State, error) {
	screen, err := term.Open(term.PlayHelp)
	if err != nil {
		return s, err
	}
	defer screen.Close()
	return session.New(s, session.Options{Computer: c}).Play(ctx, screen)
}
