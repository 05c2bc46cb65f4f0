// Package play opens a game, in this process or on the service, shows it on a front, which takes the
// keys, and says at the end how the match ended or how it goes on.
package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/front/bot"
	"github.com/c4hat/c4hat/internal/front/console"
	"github.com/c4hat/c4hat/internal/front/term"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/session"
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
	Service   bool // fail if the service does not answer
	ShowBoard bool // show the board at each turn in plain text

	Programs map[board.Disc]bot.Command // those that play
	Bot      bot.Options                // of each program

	// What to type in a shell to resume the match, to watch it, and to analyse and to replay it at its end.
	Resume, Watch, Why, Replay string

	programs *bot.Programs
}

// opened is a game to play, here or on the service.
type opened struct {
	session session.Session
	until   func(game.View) bool // see Terms in package session
	note    string               // see Panel in package term
	here    bool                 // it runs in this process, not on the service
	stop    func()               // ends a game that runs here
	// end says how the game ended or goes on, after stop. last is the last view that the front was given, and err
	// why the front ended.
	end func(last game.View, err error) ending
}

// ending is how a game ended, or goes on.
type ending struct {
	view    game.View
	ours    bool   // the view is of the match that was played here
	text    string // what to say if nobody has won
	warning string
	listed  bool  // the match can be analysed and replayed
	err     error // of the command
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
		err = o.programs.Join(ctx, g.session)
	}
	var last game.View
	if err == nil {
		last, err = session.Attach(ctx, g.session, front, session.Terms{Until: g.until})
	}
	g.stop() // first: restoring the terminal may take time
	leave()  // and saving may wait for a disk
	return o.report(g.end(last, err), err)
}

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

// report says how the match ended, or how it goes on. err says why the front ended.
func (o *Options) report(e ending, err error) error {
	if e.warning != "" {
		fmt.Fprintln(o.Errs, "c4hat:", e.warning)
	}
	switch {
	case errors.Is(err, console.ErrInputEnded) && e.text != "":
		return fmt.Errorf("%w; %s", err, e.text)
	case disconnected(err), e.err != nil && !errors.Is(e.err, session.ErrInterrupted): // a terminal may take no output
		return e.err
	case e.ours && e.view.Match.Winner() != board.Empty:
		return cmp.Or(o.tellResult(e), e.err)
	case e.text != "":
		return cmp.Or(o.say(e.text), e.err)
	}
	return e.err
}

// tellResult prints how a match was won, after the terminal's picture is gone, and in a terminal which commands
// look back at it. Plain text has already printed the result.
func (o *Options) tellResult(e ending) error {
	v := e.view
	if o.Picture {
		if v.Unattended() { // the last picture did not wait for a key press
			if err := console.Board(o.Out, v.Game.Position()); err != nil {
				return err
			}
		}
		if person := words.Person(v.Match, v.Computer, v.Seats); person != "" {
			fmt.Fprintln(o.Out, person)
		}
		if _, err := fmt.Fprintln(o.Out, words.Match(v.Match)); err != nil {
			return err
		}
	}
	if !e.listed || v.Unattended() || !cli.IsTerminal(o.Out) {
		return nil
	}
	text := words.Replays(o.Replay)
	if v.Match.Rules().Connect == board.Standard.Connect {
		text = words.Decided(o.Why) + "; " + text
	}
	return o.say(text)
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

// disconnected reports whether nobody reads the output any more, so that a write might block.
func disconnected(err error) bool { return errors.Is(err, term.ErrClosed) || cli.HungUp(err) }
