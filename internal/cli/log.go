package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/c4hat/c4hat/internal/session"
)

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
type FirstWarning struct{ first atomic.Pointer[string] }

// Text returns the first warning, or an empty string.
func (c *FirstWarning) Text() string {
	if text := c.first.Load(); text != nil {
		return *text
	}
	return ""
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
	c.first.CompareAndSwap(nil, &text)
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
		return fmt.Errorf("%w; please report it with the lines above", fault)
	}
	f, err := os.CreateTemp("", "c4hat-fault-*.txt")
	if err != nil {
		return fmt.Errorf("%w; please report it", fault)
	}
	defer f.Close()
	fmt.Fprintf(f, "c4hat %s\n%v\n\n%s", version, fault, fault.Stack)
	return fmt.Errorf("%w; please report it with the file %s", fault, f.Name())
}
