package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
)

// newLog writes a line an event: for the journal, where that reads it, and else
// for people.
func newLog(w io.Writer) *slog.Logger {
	if os.Getenv("JOURNAL_STREAM") == "" {
		return slog.New(slog.NewTextHandler(w, nil))
	}
	out := &prefixed{w: w}
	return slog.New(journal{out, slog.NewTextHandler(out, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
				return slog.Attr{} // the journal has its own clock and levels
			}
			return a
		},
	})})
}

// journal puts the level before each line as the journal understands it (see
// sd-daemon(3)), so that journalctl -p finds it.
type journal struct {
	out *prefixed
	slog.Handler
}

func (j journal) Handle(ctx context.Context, r slog.Record) error {
	j.out.mu.Lock()
	defer j.out.mu.Unlock()
	priority := 6
	switch {
	case r.Level >= slog.LevelError:
		priority = 3
	case r.Level >= slog.LevelWarn:
		priority = 4
	case r.Level < slog.LevelInfo:
		priority = 7
	}
	j.out.prefix = fmt.Appendf(j.out.prefix[:0], "<%d>", priority)
	return j.Handler.Handle(ctx, r)
}

func (j journal) WithAttrs(attrs []slog.Attr) slog.Handler {
	return journal{j.out, j.Handler.WithAttrs(attrs)}
}

func (j journal) WithGroup(name string) slog.Handler {
	return journal{j.out, j.Handler.WithGroup(name)}
}

// prefixed puts a prefix before each write, in one write.
type prefixed struct {
	mu     sync.Mutex
	w      io.Writer
	prefix []byte
}

func (p *prefixed) Write(line []byte) (int, error) {
	n, err := p.w.Write(append(p.prefix, line...))
	return max(n-len(p.prefix), 0), err
}

// complaint is a log of which only the first warning is of interest: on a screen
// that shows a game there is no room for more until it is over.
type complaint struct {
	mu    sync.Mutex
	first string
}

func (c *complaint) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first
}

func (c *complaint) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

func (c *complaint) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += fmt.Sprintf(": %v", a.Value)
		return true
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first == "" {
		c.first = text
	}
	return nil
}

func (c *complaint) WithAttrs([]slog.Attr) slog.Handler { return c }

func (c *complaint) WithGroup(string) slog.Handler { return c }

// logBeside is where the panel complains: nowhere if there is a picture in the
// terminal.
func logBeside(picture bool) *slog.Logger {
	if picture {
		return slog.New(slog.DiscardHandler)
	}
	return newLog(os.Stderr)
}
