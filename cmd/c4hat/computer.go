package main

import (
	"context"
	"log/slog"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
)

// advise is a variable so that a test can make it panic.
var advise = (*computer.Computer).Advise

// withComputer returns a game's options with the computer in them.
func withComputer(log *slog.Logger) loop.Options {
	c := new(computer.Computer)
	return loop.Options{
		Advise: func(ctx context.Context, g board.Game) (game.Advice, error) { return advise(c, ctx, g) },
		Think:  c.Think, Review: c.Review, Compose: c.Compose, Rest: c.Rest,
		Failed: func(err error) { log.Error("the computer has no answer", "reason", err) },
	}
}
