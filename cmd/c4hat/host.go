package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
	"github.com/spf13/cobra"
)

// host plays in this process, keeps the matches in a folder, and serves what connect reaches.
func host(cmd *cobra.Command, dir string, c game.Config, serve func(connect func() *control.Client) error) error {
	complaint := new(cli.Complaint)
	k, err := keepIn(cmd.Context(), dir, c, slog.New(complaint))
	if err != nil {
		return err
	}
	defer k.Close()
	state, err := game.Resume(k.config, k.Left, time.Now())
	if err != nil {
		return err
	}
	requests := make(loop.Requests)
	log := slog.New(slog.DiscardHandler)
	server := control.New(control.Options{
		Do: k.do(requests), Matches: k.Matches, Setup: c.Setup, Log: log, Status: machine(nil, nil),
	})
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	inside := control.NewInside()
	go func() { _ = server.Serve(ctx, inside) }()
	go func() {
		cancel(serve(func() *control.Client { return control.Connect(inside.Dial) }))
	}()
	state, err = loop.Run(ctx, state, loop.Options{
		Panels: []loop.Panel{server}, Computer: newComputer(), Keeper: k, Requests: requests,
	})
	kept := k.Close()
	v := state.View(time.Now())
	if text := complaint.Text(); text != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "c4hat:", text)
	} else if kept && v.UnderWay && v.Begun() {
		fmt.Fprintln(cmd.OutOrStdout(), "the match is kept: c4hat web or c4hat play --continue resumes it")
	}
	return err
}
