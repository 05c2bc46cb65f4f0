package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/analysis"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/history"
	"github.com/c4hat/c4hat/internal/light"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/socket"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/c4hat/c4hat/internal/term"
	"github.com/c4hat/c4hat/internal/words"
)

// open opens the game on the service if it answers, and otherwise in this process.
func (o *Options) open(ctx context.Context) (*opened, error) {
	if o.Local {
		return o.openHere(ctx)
	}
	client := socket.Dial(o.Settings.Socket)
	status, err := client.Status(ctx)
	switch {
	case err == nil:
		return o.openService(ctx, client, status)
	case o.Service || !errors.Is(err, socket.ErrNoDaemon):
		return nil, err
	}
	if screens, _ := hat.Devices(); len(screens) > 0 {
		fmt.Fprintln(o.Errs, "c4hat:", words.NoService)
	}
	return o.openHere(ctx)
}

// openHere starts a game in this process. It saves the matches in the user's own folder.
func (o *Options) openHere(ctx context.Context) (_ *opened, err error) {
	warned := new(cli.FirstWarning)
	k, err := store.OpenSaver(ctx, o.Settings.Own(), slog.New(warned))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			k.Close()
		}
	}()
	warning, notice, replaces := warned.Text(), "", ""
	if k.Unsaved != nil {
		warning = fmt.Sprintf("this match will not be kept: %v; --state names another folder", k.Unsaved)
	}
	if warning != "" {
		notice = words.NotSaved
	}
	c := k.Config(o.Config)
	left := k.Left
	switch {
	case o.Continue && left.Begun():
	case o.Continue && k.HeldElsewhere:
		return nil, errors.New("your match is open in another terminal, or in c4hat web: quit it there first")
	case o.Continue && warned.Text() != "":
		return nil, errors.New(warned.Text())
	case o.Continue:
		return nil, errors.New("there is no match to resume: start one without --continue")
	case left.Begun() && warning == "":
		if !o.Picture && !o.Force { // a picture says so beside the board
			replaces = words.Sentence(words.SavedMatch(left, o.Resume))
		}
		c.Parked = left
		fallthrough
	default:
		left = game.Record{}
	}
	if _, plays := o.Programs[left.Computer]; plays {
		name := left.Match.Rules().Name(left.Computer)
		return nil, fmt.Errorf("in that match %s is the computer, and cannot be a program", name)
	}
	if warning != "" {
		fmt.Fprintln(o.Errs, "c4hat:", warning)
	}

	text := !o.Picture
	players := len(o.Programs)
	c.Waits = !text && (players == 0 || players == 1 && c.Computer == board.Empty)
	c.Idle, c.Attract = 0, false // only LEDs go dark
	now := time.Now()
	if text {
		now = time.Unix(0, 0)
	}
	state, err := game.Resume(c, left, now)
	if err != nil {
		return nil, err
	}
	_, program := o.Programs[state.View(now).Game.Position().Turn()]
	switch {
	case (program || state.Phase() == game.Thinking) && c.Parked.ID != "" && !o.Force: // a disc would fall before anybody can read the warning
		return nil, errors.New(words.WouldReplace(c.Parked, o.Resume))
	case replaces != "":
		_ = o.say(replaces)
	}
	l := session.New(state, session.Options{Computer: o.Computer, Keeper: k, Instant: text})
	_, end := l.Start(ctx)
	ended := error(nil)
	return &opened{
		session: l.As(game.Source{ID: 1}), here: true,
		stop: func() { state, ended = end() },
		help: term.PlayHelp,
		note: func(v *game.View) string {
			if v.Phase == game.Aim {
				return notice
			}
			return ""
		},
		report: func(_ game.View, err error) error {
			if err == nil || errors.Is(err, session.ErrLeft) {
				err = ended
			}
			v := state.View(time.Now())
			if !text && err == nil {
				err = o.printResult(v)
			}
			keeps := state.Kept() && (text || err == nil || errors.Is(err, session.ErrInterrupted))
			kept := k.Close()
			if warning == "" {
				warned.Tell(o.Errs)
			}
			if err == nil && kept && warning == "" {
				err = o.tellNext(v)
			}
			switch {
			case !keeps:
			case warning != "" && !kept:
				fmt.Fprintln(o.Errs, "c4hat:", words.NotKept)
			case !kept:
			case errors.Is(err, console.ErrInputEnded):
				return fmt.Errorf("%w; %s", err, words.Kept(o.Resume))
			default:
				_ = o.say(words.Kept(o.Resume))
			}
			return err
		},
	}, nil
}

// Puzzles plays puzzles, each won with a number of discs, with pictures in the terminal or as lines of
// text. At the end it calls stop, which ends the sequence.
func Puzzles(
	ctx context.Context, std cli.Streams, picture bool, colours *light.Colours, discs int,
	sequence iter.Seq2[analysis.Puzzle, error], stop func(),
) error {
	c := game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}, Run: "puzzle", Waits: picture}
	s, err := game.NewPuzzles(c, discs, time.Now())
	if err != nil {
		return err
	}
	puzzles := computer.NewPuzzles(sequence)
	if picture {
		s, err = inTerminal(ctx, s, puzzles, colours)
	} else {
		panel := console.NewPanel(ctx, console.Options{
			In: std.In, Out: std.Out, Boards: console.EachRound, Newline: !std.OneTerminal(),
		})
		defer panel.Close()
		s, err = session.New(s, session.Options{Computer: puzzles, Instant: true}).Play(ctx, panel)
	}
	stop()
	failed := puzzles.Close()
	switch {
	case err != nil:
		return err
	case s.Phase() != game.Over, errors.Is(failed, context.Canceled): // somebody quit
		return nil
	case errors.Is(failed, io.EOF):
		_, err = fmt.Fprintln(std.Out, "There are no more puzzles.")
		return err
	}
	return failed
}

// Replay lets the user step through a finished match in the terminal.
func Replay(ctx context.Context, out io.Writer, m history.Match, c session.Computer, colours *light.Colours) error {
	_, err := inTerminal(ctx, game.LookBack(m.Match.Record, time.Now()), c, colours)
	if err == nil {
		_, err = fmt.Fprintf(out, "match %d: %s\n", m.Number, words.Result(m.Match.Record))
	}
	return err
}

func inTerminal(ctx context.Context, s *game.Game, c session.Computer, colours *light.Colours) (*game.Game, error) {
	screen, err := term.Open(term.PlayHelp)
	if err != nil {
		return s, err
	}
	defer screen.Close()
	screen.Colours = colours
	return session.New(s, session.Options{Computer: c}).Play(ctx, screen)
}
