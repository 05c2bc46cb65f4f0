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
// that are set. Spaces separate the names.
func Command(command string, flags *pflag.FlagSet, names string) string {
	text := Program() + " " + command
	for name := range strings.FieldsSeq(names) {
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
