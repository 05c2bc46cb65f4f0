// Package play opens a game, in this process or on the service, shows it on a front, which takes the
// keys, and says at the end how the match ended or how it goes on.
package play

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/bot"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
	"github.com/c4hat/c4hat/internal/link"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/c4hat/c4hat/internal/speech"
	"github.com/c4hat/c4hat/internal/term"
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
	help    term.Help
	note    func(*game.View) string // see [term.Panel]; nil: none
	here    bool                    // the game runs in this process, not on the service
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
	var last game.View
	front, leave, err := o.front(ctx, g)
	if err == nil { // the programs have their seats before the front takes keys
		err = o.programs.Join(ctx, g.session, g.held)
	}
	if err == nil {
		last, err = session.Attach(ctx, g.session, front, g.terms)
	}
	g.stop() // first: restoring the terminal may take time
	leave()
	return g.report(last, err)
}

// front opens what shows a game and takes keys or lines, and returns a function that closes it.
func (o *Options) front(ctx context.Context, g *opened) (session.Panel, func(), error) {
	boards := console.EachRound
	if o.ShowBoard {
		boards = console.EachTurn
	}
	switch {
	case o.Picture:
		panel, err := openPicture(g.help, o.Settings.Picture())
		if err != nil {
			return nil, func() {}, err
		}
		panel.Note = g.note
		return panel, panel.Close, nil
	}
	panel := console.NewPanel(ctx, console.Options{
		In: o.In, Out: o.Out, Boards: boards, Newline: !o.OneTerminal(),
		Forever: o.Config.Forever, Why: o.Why, Unaided: !g.here && len(o.Programs) > 0,
	})
	return panel, panel.Close, nil
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
	ended := ""
	if v.Phase == game.Over && v.Match.Winner() == board.Empty {
		ended = words.NobodyWins
	}
	if v.Match.Winner() != board.Empty && v.Unattended() { // the last picture did not wait for a key press
		if err := console.Board(o.Out, v.Game.Position()); err != nil {
			return err
		}
	}
	var text strings.Builder
	for _, line := range []string{words.Person(v.Match, v.Computer, v.Seats), words.Match(v.Match), ended} {
		if line != "" {
			text.WriteString(line + "\n")
		}
	}
	_, err := io.WriteString(o.Out, text.String())
	return err
}

// Watch shows the service's match in the terminal or as lines of text, until the user quits.
func Watch(ctx context.Context, service session.Session, std cli.Streams, colours *light.Colours, showBoard bool) error {
	boards := console.OnDemand
	if showBoard {
		boards = console.EachTurn
	}
	help := func(*game.View) [2]string { return [2]string{"the match on the HAT", "q leave"} }
	panel, leave, err := watcher(std, help, colours, boards)
	if err != nil {
		return err
	}
	defer leave()
	_, err = session.Attach(ctx, service, panel, session.Terms{Watch: true})
	return leaving(err)
}

// Link runs a link, and shows its match in the terminal too, where its keys also play, or says what it does.
func Link(ctx context.Context, l *link.Link, std cli.Streams, colours *light.Colours) error {
	l.Tell = func(text string) { fmt.Fprintln(std.Errs, "c4hat:", text) }
	if !std.CanDraw() {
		return leaving(l.Run(ctx))
	}
	var state atomic.Pointer[string]
	state.Store(new(string))
	l.Tell = func(text string) { state.Store(&text) }
	panel, err := openPicture(func(v *game.View) [2]string { return [2]string{*state.Load(), serviceHelp(v)[1]} }, colours)
	if err != nil {
		return err
	}
	l.Front = panel
	err = l.Run(ctx)
	panel.Close()
	return leaving(err)
}

// Speak says what happens in the service's match, until the context is done.
func Speak(ctx context.Context, service session.Session, speaker *speech.Speaker) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var speaking sync.WaitGroup
	speaking.Go(func() { cancel(session.Guard(func() error { return speaker.Run(ctx) })) })
	_, err := session.Attach(ctx, service, output(speaker.Show), session.Terms{Watch: true})
	cancel(err)
	speaking.Wait() // what is being said ends
	return leaving(err)
}

// watcher returns a panel that shows the service's match in the terminal or, if it cannot draw there, as
// lines of text, and a function that closes the panel.
func watcher(std cli.Streams, help term.Help, colours *light.Colours, boards console.Boards) (session.Panel, func(), error) {
	if !std.CanDraw() {
		return output(console.Follow(std.Out, boards)), func() {}, nil
	}
	panel, err := openPicture(help, colours)
	if err != nil {
		return nil, nil, err
	}
	panel.Watches = true
	return panel, panel.Close, nil
}

func openPicture(help term.Help, colours *light.Colours) (*term.Panel, error) {
	panel, err := term.Open(func(v *game.View) [2]string {
		if v.Lost {
			return [2]string{"the service stopped:  waiting for it", "q leave"}
		}
		return help(v)
	})
	if err == nil {
		panel.Colours = colours
	}
	return panel, err
}

// output is a panel without keys.
type output func(game.View) error

func (o output) Show(v game.View) error { return o(v) }

func (o output) Next(ctx context.Context) (game.Event, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}
