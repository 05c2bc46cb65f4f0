package main

import (
	"cmp"
	"context"
	"errors"

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
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l := session.New(s, session.Options{Computer: c})
	front := session.Attach(ctx, l.As(game.Source{}), screen, session.Terms{})
	go func() {
		_, err := front.Wait()
		cancel(cmp.Or(err, session.ErrEnded))
	}()
	s, err = l.Run(ctx)
	if errors.Is(err, session.ErrLeft) || errors.Is(err, session.ErrEnded) {
		err = nil
	}
	return s, err
}
