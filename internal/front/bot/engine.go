package bot

import (
	"cmp"
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
	number := 0
	for line, err := range cli.Lines(ctx, in) {
		number++
		if err != nil {
			return err
		}
		p, err := board.Parse(r, strings.TrimSpace(line))
		switch wrong := (*board.MoveError)(nil); {
		case errors.As(err, &wrong):
			return fmt.Errorf("line %d: move %d, %q: %s", number, wrong.Move, wrong.Rune, wrong.Reason())
		case err != nil:
			return err
		case p.Outcome() != board.Playing:
			return fmt.Errorf("line %d: the round has ended", number)
		}
		col, err := choose(ctx, p)
		if err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
		if _, err := fmt.Fprintln(out, col+1); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
	}
	return context.Cause(ctx)
}
