package main

import (
	"context"
	"log/slog"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
	"github.com/c4hat/c4hat/internal/panel/term"
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

// runInTerminal runs a game in the terminal alone.
func runInTerminal(ctx context.Context, s game.State, o loop.Options) (game.State, error) {
	screen, err := term.Open(term.PlayHelp)
	if err != nil {
		return s, err
	}
	defer screen.Close()
	o.Panels = []loop.Panel{screen}
	return loop.Run(ctx, s, o)
}
