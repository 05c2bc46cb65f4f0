package play

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
	"github.com/c4hat/c4hat/internal/link"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/speech"
	"github.com/c4hat/c4hat/internal/term"
)

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
