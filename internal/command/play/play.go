// Package play opens a game, in this process or on the service, shows it on a front, which takes the
// keys, and says at the end how the match ended or how it goes on.
package play

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/front/bot"
	"github.com/c4hat/c4hat/internal/front/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/c4hat/c4hat/internal/words"
)

// Options say what to play, and where.
type Options struct {
	cli.Streams
	Config   game.Config
	Settings *settings.Settings
	Computer session.Computer // of a game here

	Picture   bool // draw in the terminal: it can show pictures, and plain text was not chosen
	Continue  bool // join the match under way, or resume the last one
	Force     bool // end the match under way
	Local     bool // play without the service, even if it is running
	ShowBoard bool // show the board at each turn in plain text

	Service bool  // fail if the service does not answer
	Fixed   error // why the service cannot play with these settings; nil: it can

	Programs map[board.Disc]bot.Command // those that play
	Bot      bot.Options                // of each program

	// What to type in a shell to resume the match, to watch it, and to analyse and to replay it at its end.
	Resume, Watch, Why, Replay string

	programs *bot.Programs
}

// opened is a game to play, here or on the service.
type opened struct {
	session session.Session
	held    session.Session // the seat of the first program, if it is taken already
	terms   session.Terms
	note    func(*game.View) string // see Panel in package term; nil: none
	here    bool                    // it runs in this process, not on the service
	stop    func()                  // ends a game that runs here
	// report says how the game ended or how it goes on, after stop. last is the last view that the
	// front was given, and err why the front ended.
	report func(last game.View, err error) error
}

// Play starts the programs, opens the game, lets the programs join, and shows it on a front until one of
// the two ends.
func Play(ctx context.Context, o Options) error {
	var later strings.Builder
	faults := o.Errs
	if o.Picture { // nothing is printed over it
		faults = &later
	}
	var err error
	o.programs, err = bot.StartAll(o.Programs, o.Bot, func(err error) { fmt.Fprintln(faults, err) })
	if err != nil {
		return err
	}
	defer func() {
		wrote := o.programs.Close()
		if text := later.String() + wrote; text != "" { // a terminal that takes no output does not take nothing either
			fmt.Fprint(o.Errs, text)
		}
	}()
	g, err := o.open(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	front, leave, err := o.front(ctx, g)
	if err == nil { // the programs have their seats before the front takes keys
		err = o.programs.Join(ctx, g.session, g.held)
	}
	var last game.View
	if err == nil {
		last, err = session.Attach(ctx, g.session, front, g.terms)
	}
	g.stop() // first: restoring the terminal may take time
	leave()
	return g.report(last, err)
}

// open opens the game on the service if it answers, and otherwise in this process.
func (o *Options) open(ctx context.Context) (*opened, error) {
	if o.Local {
		return o.openHere(ctx)
	}
	client := socket.Dial(o.Settings.Socket)
	status, err := client.Status(ctx)
	switch {
	case err == nil && o.Fixed != nil:
		return nil, o.Fixed
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

// front opens what shows a game and takes keys or lines, and returns a function that closes it.
func (o *Options) front(ctx context.Context, g *opened) (session.Panel, func(), error) {
	if o.Picture {
		panel, err := openPicture(o.Settings.Picture())
		if err != nil {
			return nil, func() {}, err
		}
		panel.Note = g.note
		return panel, panel.Close, nil
	}
	boards := console.EachRound
	if o.ShowBoard {
		boards = console.EachTurn
	}
	panel := console.NewPanel(ctx, console.Options{
		In: o.In, Out: o.Out, Boards: boards, Newline: !o.OneTerminal(),
		Forever: o.Config.Forever, Why: o.Why, Unaided: !g.here && len(o.Programs) > 0,
	})
	return panel, panel.Close, nil
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
	warning := warned.Text()
	if k.Unsaved != nil {
		warning = fmt.Sprintf("this match will not be kept: %v; --state names another folder", k.Unsaved)
	}
	c, left := k.Config(o.Config), k.Left
	switch {
	case o.Continue && left.Begun():
	case o.Continue && k.HeldElsewhere:
		return nil, errors.New("your match is open in another terminal, or in c4hat web: quit it there first")
	case o.Continue && warned.Text() != "":
		return nil, errors.New(warned.Text())
	case o.Continue:
		return nil, errors.New("there is no match to resume: start one without --continue")
	case left.Begun() && warning == "":
		c.Parked = left
		fallthrough
	default:
		left = game.Record{}
	}
	if _, plays := o.Programs[left.Computer]; plays {
		return nil, fmt.Errorf("in that match %s is the computer, and cannot be a program", left.Match.Rules().Name(left.Computer))
	}
	if warning != "" {
		fmt.Fprintln(o.Errs, "c4hat:", warning)
	}
	players := len(o.Programs)
	c.Waits = o.Picture && (players == 0 || players == 1 && c.Computer == board.Empty)
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
	_, end := l.Start(ctx)
	ended := error(nil)
	return &opened{
		session: l.As(game.Source{ID: 1}), here: true,
		note: func(v *game.View) string {
			if warning != "" && v.Phase == game.Aim {
				return words.NotSaved
			}
			return ""
		},
		stop: func() { state, ended = end() },
		report: func(_ game.View, err error) error {
			if err == nil || errors.Is(err, session.ErrLeft) {
				err = ended
			}
			v := state.View(time.Now())
			if o.Picture && err == nil {
				err = o.printResult(v)
			}
			kept := k.Close()
			if warning == "" {
				warned.Tell(o.Errs)
			}
			if err == nil && kept && warning == "" {
				err = o.tellNext(v)
			}
			switch {
			case !state.Kept(), o.Picture && err != nil && !errors.Is(err, session.ErrInterrupted): // a terminal may take no output
			case !kept:
				fmt.Fprintln(o.Errs, "c4hat:", words.NotKept)
			case errors.Is(err, console.ErrInputEnded):
				return fmt.Errorf("%w; %s", err, words.Kept(o.Resume))
			default:
				_ = o.say(words.Kept(o.Resume))
			}
			return err
		},
	}, nil
}

// say prints a line after the match. Where somebody reads plain text in a terminal, no word is broken;
// elsewhere a command to copy stays whole.
func (o *Options) say(text string) error {
	if !o.Picture {
		text = cli.FillLines(text, o.Out)
	}
	_, err := fmt.Fprintln(o.Out, text)
	return err
}

// printResult prints how the match ended, if it did, after the terminal's picture is gone.
func (o *Options) printResult(v game.View) error {
	won := v.Match.Winner() != board.Empty
	if won && v.Unattended() { // the last picture did not wait for a key press
		if err := console.Board(o.Out, v.Game.Position()); err != nil {
			return err
		}
	}
	var lines []string
	for _, line := range []string{words.Person(v.Match, v.Computer, v.Seats), words.Match(v.Match)} {
		if line != "" {
			lines = append(lines, line+"\n")
		}
	}
	if v.Phase == game.Over && !won {
		lines = append(lines, words.NobodyWins+"\n")
	}
	_, err := fmt.Fprint(o.Out, strings.Join(lines, ""))
	return err
}

// tellNext prints, in a terminal, which commands look back at the match, if it is won.
func (o *Options) tellNext(v game.View) error {
	if v.Match.Winner() == board.Empty || v.Unattended() || !cli.IsTerminal(o.Out) {
		return nil
	}
	text := words.Replays(o.Replay)
	if v.Match.Rules().Connect == board.Standard.Connect {
		text = words.Decided(o.Why) + "; " + text
	}
	return o.say(text)
}
