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

// kept is a game whose matches are kept.
type kept struct {
	config game.Config
	*store.Saver
}

// openSaver is a variable, so that a test can have it hang.
var openSaver = store.OpenSaver

// keepIn has the matches of a game kept in a folder, if there is one.
func keepIn(ctx context.Context, dir string, c game.Config, log *slog.Logger) (*kept, error) {
	s, err := openSaver(ctx, dir, log)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w; --state names another folder", err)
	}
	// A name that no other run has. It is not asked of getrandom(2), which early after boot
	// waits for entropy, for seconds; what the kernel gives every process at its start is
	// poorer then, so the clock helps out.
	c.Run = strconv.FormatUint(rand.Uint64()^uint64(time.Now().UnixNano()), 36)
	c.Keeps = true
	return &kept{c, s}, err
}

// do hands an event to the game, as [loop.Requests.Do], once there is room for a match that
// it may end.
func (k *kept) do(requests loop.Requests) func(context.Context, game.Event, game.Source) (game.View, error) {
	return func(ctx context.Context, ev game.Event, from game.Source) (game.View, error) {
		if err := k.Room(ctx, ev); err != nil {
			return game.View{}, err
		}
		return requests.Do(ctx, ev, from)
	}
}
