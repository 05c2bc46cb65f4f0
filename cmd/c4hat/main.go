// Command c4hat plays Connect-4 on a Raspberry Pi's Sense HAT, and in a terminal.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
	cli.FitHelp(root)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	// If something panics, deferred calls of Close restore the terminal before Guard returns the
	// fault.
	err := session.Guard(func() error { return root.ExecuteContext(ctx) })
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

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "c4hat",
		Short: "Connect-4 on a Raspberry Pi's Sense HAT, and in a terminal",
		Long: `c4hat turns a Raspberry Pi with a Sense HAT into a Connect-4 machine: two
people share the joystick and the 8x8 LEDs, and the first to two points wins.
Without a HAT you play in the terminal or in a browser.

The exit status is 0 on success, 1 if something failed, 2 for wrong usage or a wrong
configuration, and 130 after Ctrl-C, unless the match continues on the HAT. After other
signals it is 128 plus the signal's number.`,
		Example: `  c4hat play                  choose a match in the menu
  c4hat watch                 watch the match on the HAT
  c4hat web                   play in a browser
  c4hat analyse               find the discs that decided the last match
  c4hat puzzle                find the only column that wins
  c4hat doctor                find out why the HAT does not work`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArguments,
	}
	// cobra's own flag needs text/template, and with it the program is a sixth larger.
	printVersion := root.Flags().BoolP("version", "v", false, "version for c4hat")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *printVersion {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "c4hat", version())
			return err
		}
		return cmd.Help()
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		bad, ok := errors.AsType[*pflag.InvalidValueError](err)
		if ok && bad.GetFlag().Value.Type() == "bool" { // pflag's message names a Go function
			err = fmt.Errorf("invalid argument %q for %q flag: must be true or false", bad.GetValue(), "--"+bad.GetFlag().Name)
		}
		return cli.Usagef("%w; see %s --help", err, cmd.CommandPath())
	})
	root.AddCommand(
		newPlay(), newDaemon(), newWatch(), newSpeak(), newLink(), newWeb(), newStatus(),
		newStats(), newReplay(), newAnalyse(), newPuzzle(), newDoctor(), newCard(), newSolve(),
		newEngine(), newTournament(), newVersion(), newConsole(), newConfig(),
	)
	for _, cmd := range root.Commands() {
		cmd.Flags().SortFlags = false
		if cmd.Runnable() && cmd.Args == nil && cmd.ValidArgsFunction == nil {
			cmd.Args, cmd.ValidArgsFunction = noArguments, cobra.NoFileCompletions
		}
	}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Args = helpTopic
	completion, _, _ := root.Find([]string{"completion"})
	completion.Args, completion.RunE = noArguments, root.RunE
	for _, shell := range completion.Commands() {
		shell.Args = noArguments
	}
	return root
}

func helpTopic(cmd *cobra.Command, args []string) error {
	if _, rest, err := cmd.Root().Find(args); err != nil || len(rest) > 0 {
		return cli.Usagef("unknown help topic %q; see %s --help", strings.Join(args, " "), cmd.Root().Name())
	}
	return nil
}

// takes checks the number of arguments; wrong says what they should be.
func takes(least, most int, wrong string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return cli.Usagef("%s; see %s --help", wrong, cmd.CommandPath())
		}
		return nil
	}
}

// noArguments rejects arguments. For the root command it reports them as unknown commands.
func noArguments(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case !cmd.HasSubCommands():
		return cli.Usagef("%s takes no arguments, not %q; see %s --help", cmd.Name(), args[0], cmd.CommandPath())
	}
	cmd.SuggestionsMinimumDistance = 2
	if like := cmd.SuggestionsFor(args[0]); len(like) > 0 {
		return cli.Usagef("unknown command %q: did you mean %s %s?", args[0], cmd.CommandPath(), strings.Join(like, " or "))
	}
	return cli.Usagef("unknown command %q; see %s --help", args[0], cmd.CommandPath())
}

// completeFlags registers completions for the flags of a command and its subcommands. For files, the shell
// completes paths.
func completeFlags(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if v, ok := f.Value.(*settings.Value); ok && !v.Files {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, // the flag exists, and has no completion yet
				cobra.FixedCompletions(v.Words, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder))
		}
	})
	for _, sub := range cmd.Commands() {
		completeFlags(sub)
	}
}

// release is set by the build (-ldflags -X main.release=…); without it, the version is the
// toolchain's.
var release string

func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and the platform",
		Example: `  c4hat version
  c4hat --version   only the version`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text := fmt.Sprintf("c4hat %s %s/%s %s", version(), runtime.GOOS, runtime.GOARCH, runtime.Version())
			if runtime.GOOS != "linux" {
				text += " (there is no Sense HAT support for " + runtime.GOOS + ": play in the terminal)"
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), text)
			return err
		},
	}
}
