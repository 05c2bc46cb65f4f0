// Package cli has what the commands share: exit statuses and usage errors, signals, terminals, logs
// and JSON output.
package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Exit statuses. After a signal other than SIGINT the status is 128 plus the signal's number.
const (
	ExitFailed      = 1
	ExitUsage       = 2
	ExitInterrupted = 128 + 2 // SIGINT is 2 on every system
)

// UsageError is a mistake in a command line or in the configuration.
type UsageError struct{ error }

func (e UsageError) Unwrap() error { return e.error }

// Usage marks an error as a [UsageError].
func Usage(err error) error { return UsageError{err} }

// Usagef is [fmt.Errorf] for a [UsageError].
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Mistakes are several errors, such as those of a configuration file. The program prints each on a
// line of its own.
type Mistakes []string

func (m Mistakes) Error() string { return strings.Join(m, "; ") }

// ErrReported is returned by a command that has already printed what went wrong.
var ErrReported = errors.New("already reported")

// WriteJSON writes a value as JSON, indented to be readable.
func WriteJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Program returns what to type in a shell to run this program: what somebody has typed.
func Program() string { return os.Args[0] }

// Command returns what to type in a shell for a command of this program, with those of the named flags
// that are set.
func Command(command string, flags *pflag.FlagSet, names ...string) string {
	text := Program() + " " + command
	for _, name := range names {
		switch f := flags.Lookup(name); {
		case !f.Changed:
		case f.Value.Type() == "bool":
			text += " --" + name
		case strings.ContainsAny(f.Value.String(), " '\"$"):
			text += fmt.Sprintf(" --%s %q", name, f.Value)
		default:
			text += fmt.Sprintf(" --%s %s", name, f.Value)
		}
	}
	return text
}

// CompleteFlags registers completions for the flags of a command and its subcommands. A flag's
// value may have a Words method, which returns the words to offer, in order. A word may be followed
// by a tab and a description.
func CompleteFlags(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		var words []string
		switch v, ok := f.Value.(interface{ Words() []string }); {
		case ok:
			words = v.Words()
		case f.Name == "config":
			_ = cmd.MarkFlagFilename(f.Name, "toml") // the flag exists
			return
		case f.Name == "state":
			_ = cmd.MarkFlagDirname(f.Name) // the flag exists
			return
		case f.Name == "their-socket": // on another machine
			words = []string{f.DefValue}
		case f.Name == "listen":
			words = []string{"127.0.0.1:8484", "0.0.0.0:8484"}
		case f.Name != "position": // for devices and other files the shell completes paths
			return
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, // the flag exists, and has no completion yet
			cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder))
	})
	for _, sub := range cmd.Commands() {
		CompleteFlags(sub)
	}
}
