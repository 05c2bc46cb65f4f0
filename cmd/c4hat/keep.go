package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/spf13/pflag"
)

// kept is a game with the saver that keeps its matches.
type kept struct {
	config game.Config
	*store.Saver
	notice string // for a terminal, until the first disc
}

// openSaver is a variable so that a test can make it hang.
var openSaver = store.OpenSaver

// keepIn keeps the matches of a game in a folder; with an empty dir it keeps nothing.
func keepIn(ctx context.Context, dir string, c game.Config, log *slog.Logger) (*kept, error) {
	s, err := openSaver(ctx, dir, log)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w; --state names another folder", err)
	}
	// A name that no other run has. It does not come from getrandom(2), which may wait for
	// entropy for seconds after boot. The random bytes that every process gets from the kernel
	// are weaker then, so the clock is mixed in.
	c.Run = strconv.FormatUint(rand.Uint64()^uint64(time.Now().UnixNano()), 36)
	c.Keeps = true
	if err == nil {
		for e := range s.Matches(1) {
			c.Last = e.Record
		}
	}
	return &kept{config: c, Saver: s}, err
}

// writable returns why matches cannot be kept in a folder, for people.
func (k *kept) writable(ctx context.Context, dir string) error {
	if dir == "" {
		return errors.New("this match will not be kept: there is no home folder; --state names another")
	}
	tried := make(chan error, 1)
	go func() {
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			var f *os.File
			if f, err = os.CreateTemp(dir, "try-*"); err == nil {
				err = errors.Join(f.Close(), os.Remove(f.Name()))
			}
		}
		tried <- err
	}()
	select {
	case err := <-tried:
		var path *fs.PathError
		if errors.As(err, &path) {
			err = fmt.Errorf("this match will not be kept: nothing can be written to %s (%w); --state names another folder", dir, path.Err)
		}
		return err
	case <-ctx.Done(): // the game will end as well
		return nil
	}
}

// do is [loop.Requests.Do], but first waits for room for a match that the event may end.
func (k *kept) do(requests loop.Requests) func(context.Context, game.Event, game.Source) (game.View, error) {
	return func(ctx context.Context, ev game.Event, from game.Source) (game.View, error) {
		if err := k.Room(ctx, ev); err != nil {
			return game.View{}, err
		}
		return requests.Do(ctx, ev, from)
	}
}

// resuming is the command that resumes a match from where and how this one is played.
func resuming(flags *pflag.FlagSet) string {
	text := "c4hat play --continue"
	for _, name := range []string{"local", "display", "state"} {
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
