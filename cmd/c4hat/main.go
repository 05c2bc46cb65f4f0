// Command c4hat plays Connect-4 on a Raspberry Pi's Sense HAT, and in a terminal.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/cobra"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the program, prints an error as one line, and returns the exit status.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	ctx, stop := cli.WithSignals(ctx)
	defer stop()
	root := newRoot()
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) { // for completions
		completeFlags(root)
	}
	helpFailed := cli.FitHelp(root)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	// If something panics, deferred calls of Close restore the terminal before Guard returns the
	// fault.
	err := session.Guard(func() error { return cmp.Or(root.ExecuteContext(ctx), helpFailed()) })
	if err == nil {
		return 0
	}
	status := cli.ExitFailed
	if errors.As(err, new(cli.UsageError)) {
		status = cli.ExitUsage
	}
	switch ended, ok := errors.AsType[cli.Signalled](err); {
	case errors.Is(err, session.ErrInterrupted):
		return cli.ExitInterrupted
	case errors.Is(err, cli.ErrReported):
		return status
	case ok:
		return 128 + int(ended.Signal)
	}
	if fault, ok := errors.AsType[*session.Fault](err); ok {
		err = cli.Explain(fault, version())
	}
	mistakes, ok := errors.AsType[cli.Mistakes](err)
	if !ok {
		mistakes = cli.Mistakes{err.Error()}
	}
	for _, text := range mistakes {
		fmt.Fprintln(errs, "c4hat:", words.Clean(text))
	}
	return status
}
