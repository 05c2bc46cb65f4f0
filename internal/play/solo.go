package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/analysis"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/history"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/term"
)

// Puzzles plays puzzles, each won with a number of discs, with pictures in the terminal or as lines of
// text. At the end it calls stop, which ends the sequence.
func Puzzles(
	ctx context.Context, std cli.Streams, picture bool, discs int,
	sequence iter.Seq2[analysis.Puzzle, error], stop func(),
) error {
	c := game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}, Run: "puzzle", Waits: picture}
	s, err := game.NewPuzzles(c, discs, time.Now())
	if err != nil {
		return err
	}
	puzzles := computer.NewPuzzles(sequence)
	if picture {
		s, err = inTerminal(ctx, s, puzzles)
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
func Replay(ctx context.Context, out io.Writer, m history.Match, c session.Computer) error {
	_, err := inTerminal(ctx, game.LookBack(m.Match.Record, time.Now()), c)
	if err == nil {
		_, err = fmt.Fprintf(out, "match %d: %s\n", m.Number, history.ResultText(m.Match))
	}
	return err
}

func inTerminal(ctx context.Context, s game.State, c session.Computer) (game.State, error) {
	screen, err := term.Open(term.PlayHelp)
	if err != nil {
		return s, err
	}
	defer screen.Close()
	return session.New(s, session.Options{Computer: c}).Play(ctx, screen)
}
