package main

import (
	"context"
	"log/slog"
	"runtime/debug"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/cpu"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
)

// computer plays, and gives hints.
type computer struct{ player cpu.Player }

// options returns a game's options with the computer in them.
func (c *computer) options(log *slog.Logger) loop.Options {
	return loop.Options{
		Advise: c.advise, Think: c.think, Rest: c.rest,
		Failed: func(err error) { log.Error("the computer has no answer", "reason", err) },
	}
}

func (c *computer) think(ctx context.Context, t game.Think) (int, error) {
	return c.player.Choose(ctx, t.Level, t.Game.Position(), t.Seed)
}

func (c *computer) advise(ctx context.Context, g board.Game) (game.Advice, error) {
	scores, exact, err := judge(&c.player, ctx, g.Position())
	return game.Advice{Score: scores, Exact: exact}, err
}

// judge is a variable so that a test can make it panic.
var judge = (*cpu.Player).Advise

// rest returns the memory to the system at once.
func (c *computer) rest() {
	c.player.Rest()
	debug.FreeOSMemory()
}
