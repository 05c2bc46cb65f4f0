package main

import (
	"context"

	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
	"github.com/c4hat/c4hat/internal/panel/term"
)

// newComputer is a variable so that a test can make the computer panic.
var newComputer = func() loop.Computer { return new(computer.Computer) }

func runInTerminal(ctx context.Context, s game.State, c loop.Computer) (game.State, error) {
	screen, err := term.Open(term.PlayHelp)
	if err != nil {
		return s, err
	}
	defer screen.Close()
	return loop.Run(ctx, s, loop.Options{Panels: []loop.Panel{screen}, Computer: c})
}
