// Package cli has what the commands share: exit statuses and usage errors, signals, terminals, logs
// and JSON output.
package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/internal/session"
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

// NewLog returns a log that writes one line per event. If systemd's journal reads the log, the
// lines have the journal's format.
func NewLog(w io.Writer) *slog.Logger {
	if os.Getenv("JOURNAL_STREAM") == "" {
		return slog.New(slog.NewTextHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(journal{w}, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				return slog.Attr{} // the journal adds the time
			}
			return a
		},
	}))
}

// journal replaces the level at the start of each line with the priority that sd-daemon(3)
// describes, so that journalctl -p can select lines.
type journal struct{ io.Writer }

func (j journal) Write(line []byte) (int, error) {
	level, rest, _ := bytes.Cut(line, []byte(" "))
	priority := 6
	switch string(level) {
	case "level=ERROR":
		priority = 3
	case "level=WARN":
		priority = 4
	}
	_, err := fmt.Fprintf(j.Writer, "<%d>%s", priority, rest)
	return len(line), err
}

// FirstWarning is a log handler that keeps the first warning. Commands print the warning when they
// end, because until then the terminal may show a picture.
type FirstWarning struct{ first atomic.Value }

// Text returns the first warning, or an empty string.
func (c *FirstWarning) Text() string {
	text, _ := c.first.Load().(string)
	return text
}

// Tell prints the warning, if there is one.
func (c *FirstWarning) Tell(errs io.Writer) {
	if text := c.Text(); text != "" {
		fmt.Fprintln(errs, "c4hat:", text)
	}
}

func (c *FirstWarning) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

func (c *FirstWarning) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += fmt.Sprintf(": %v", a.Value)
		return true
	})
	c.first.CompareAndSwap(nil, text)
	return nil
}

func (c *FirstWarning) WithAttrs([]slog.Attr) slog.Handler { return c }

func (c *FirstWarning) WithGroup(string) slog.Handler { return c }

// Orderly logs why a service ended, and returns the service's error. For SIGTERM, the usual way to
// stop a service, it returns nil.
func Orderly(err error, log *slog.Logger) error {
	if ended, ok := errors.AsType[Signalled](err); ok && ended.Signal == syscall.SIGTERM {
		log.Info("stopping", "reason", ended)
		return nil
	}
	if fault, ok := errors.AsType[*session.Fault](err); ok {
		log.Error("internal fault", "reason", fault.Value, "stack", string(fault.Stack))
	}
	return err
}

// Explain writes a fault's stack for a bug report, and returns an error that says where it is. The stack
// goes to a file rather than to the screen; a service's goes to the journal, because systemd deletes a
// service's temporary files.
func Explain(fault *session.Fault, version string) error {
	if os.Getenv("JOURNAL_STREAM") != "" && !IsTerminal(os.Stderr) {
		fmt.Fprintf(os.Stderr, "c4hat %s\n%s", version, fault.Stack)
		return fmt.Errorf("%w; please report it at github.com/c4hat/c4hat with the lines above", fault)
	}
	f, err := os.CreateTemp("", "c4hat-fault-*.txt")
	if err != nil {
		return fmt.Errorf("%w; please report it at github.com/c4hat/c4hat", fault)
	}
	defer f.Close()
	fmt.Fprintf(f, "c4hat %s\n%v\n\n%s", version, fault, fault.Stack)
	return fmt.Errorf("%w; please report it at github.com/c4hat/c4hat with the file %s", fault, f.Name())
}

// Signalled is the cause of a context that was ended by a signal other than SIGINT.
type Signalled struct{ syscall.Signal }

func (s Signalled) Error() string { return fmt.Sprintf("stopped by %v", s.Signal) }

// HungUp reports whether a dropped connection ended the program: nobody reads its output, and a write
// might block.
func HungUp(err error) bool {
	ended, ok := errors.AsType[Signalled](err)
	return ok && ended.Signal == syscall.SIGHUP
}

// WithSignals returns a context that is cancelled by the signals that would otherwise end the
// program, so that the terminal and the LEDs can be restored first. These signals are SIGINT,
// SIGTERM, SIGQUIT (Ctrl-\) and SIGHUP (a dropped connection). A SIGHUP that was ignored when the
// program started stays ignored. For a second after the first signal, further signals are ignored;
// after that they end the program.
func WithSignals(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		select {
		case s := <-signals:
			if s == os.Interrupt {
				cancel(session.ErrInterrupted)
			} else {
				cancel(Signalled{s.(syscall.Signal)})
			}
			time.AfterFunc(time.Second, func() { signal.Stop(signals) })
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}
