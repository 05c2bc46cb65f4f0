package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/history"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/computer/analysis"
	"github.com/c4hat/c4hat/internal/front/console"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/front/speech"
	"github.com/c4hat/c4hat/internal/front/term"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/words"
)

// Watch shows the service's match in the terminal or as lines of text, until the user quits.
func Watch(ctx context.Context, service session.Session, std cli.Streams, colours *hatpanel.Colours, boards console.Boards) error {
	var front session.Panel = output(console.Follow(std.Out, boards))
	if std.CanDraw() {
		panel, err := openPicture(colours)
		if err != nil {
			return err
		}
		defer panel.Close()
		panel.Watches = true
		front = panel
	}
	_, err := session.Attach(ctx, service, front, session.Terms{Watch: true})
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

// Puzzles plays puzzles, each won with a number of discs, with pictures in the terminal or as lines of
// text. At the end it calls stop, which ends the sequence.
func Puzzles(
	ctx context.Context, std cli.Streams, picture bool, colours *hatpanel.Colours, discs int,
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
		s, err = session.New(s, session.Options{Computer: puzzles, Instant: true}).Run(ctx, panel)
		panel.Close()
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
func Replay(ctx context.Context, out io.Writer, m history.Match, c session.Computer, colours *hatpanel.Colours) error {
	_, err := inTerminal(ctx, game.LookBack(m.Match.Record, time.Now()), c, colours)
	if err == nil {
		_, err = fmt.Fprintf(out, "match %d: %s\n", m.Number, words.Result(m.Match.Record))
	}
	return err
}

// inTerminal plays a game alone in the terminal.
func inTerminal(ctx context.Context, s *game.Game, c session.Computer, colours *hatpanel.Colours) (*game.Game, error) {
	panel, err := openPicture(colours)
	if err != nil {
		return s, err
	}
	defer panel.Close()
	return session.New(s, session.Options{Computer: c}).Run(ctx, panel)
}

func openPicture(colours *hatpanel.Colours) (*term.Panel, error) {
	panel, err := term.Open()
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
