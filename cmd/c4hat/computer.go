package main

import (
	"context"

	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/term"
)

// newComputer is a variable so that a test can make the computer panic.
var newComputer = func() session.Computer { return new(computer.Computer) }

func runInTerminal(ctx context.Context, s game.State, c session.Computer) (game.State, error) {
	screen, err := term.Open(term.PlayHelp)
	if err != nil {
		return s, err
	}
	defer screen.Close()
	return session.New(s, session.Options{Computer: c}).Play(ctx, screen, nil)
}
