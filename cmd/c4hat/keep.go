package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
	"github.com/c4hat/c4hat/internal/store"
)

// kept is a game with the saver that keeps its matches.
type kept struct {
	config game.Config
	*store.Saver
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
	return &kept{c, s}, err
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
