package bot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
)

// Engine plays as a program that c4hat runs: it answers each line of moves in the input with the
// column that choose returns, until the input ends.
func Engine(ctx context.Context, r board.Rules, in io.Reader, out io.Writer, choose func(context.Context, board.Position) (int, error)) error {
	input := cli.ReadLines(ctx, in)
	for number := 1; ; number++ {
		var line cli.Line
		select {
		case line = <-input:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		switch {
		case errors.Is(line.Err, io.EOF):
			return nil
		case line.Err != nil:
			return fmt.Errorf("standard input: %w", line.Err)
		}
		p, err := board.Parse(r, strings.TrimSpace(line.Text))
		switch wrong := (*board.MoveError)(nil); {
		case errors.As(err, &wrong):
			return fmt.Errorf("line %d: move %d, %q: %s", number, wrong.Move, wrong.Rune, wrong.Reason())
		case err != nil:
			return err
		case p.Outcome() != board.Playing:
			return fmt.Errorf("line %d: the round has ended", number)
		}
		col, err := choose(ctx, p)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, col+1); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
	}
}
