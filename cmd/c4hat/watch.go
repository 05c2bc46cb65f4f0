package main

import (
	"context"
	"errors"

	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/pi"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/c4hat/c4hat/internal/socket"
	"github.com/c4hat/c4hat/internal/term"
	"github.com/spf13/cobra"
)

func newWatch() *cobra.Command {
	var p settings.Places
	boards := false
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Watch the match on the HAT",
		Long: `Show the match on the HAT in this terminal, until you press q or Ctrl-C. Other keys do
nothing.

In a pipe, the match is lines of text.`,
		Example: `  c4hat watch                                watch until q
  c4hat watch | espeak-ng                    listen to the match
  c4hat watch --show-board | tee match.txt   with the board, and saved to a file`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, _, err := dial(cmd, &p)
			switch {
			case errors.Is(err, socket.ErrNoDaemon) && !cmd.Flags().Changed("socket") && !pi.Is():
				return errors.New("watch shows the match of the service, which runs on a Raspberry Pi: to play here, type c4hat play")
			case err != nil:
				return err
			}
			when := console.OnDemand
			if boards {
				when = console.EachTurn
			}
			panel, leave, err := watcher(cmd, cli.OnTerminal(cmd), watchHelp, when)
			if err != nil {
				return err
			}
			defer leave()
			_, err = session.Attach(cmd.Context(), client, panel, session.Terms{Watch: true})
			return leaving(err)
		},
	}
	cmd.Flags().BoolVar(&boards, "show-board", false, "in plain text, show the board at each turn")
	p.AddSocket(cmd.Flags())
	return cmd
}

func watchHelp(*game.View) [2]string {
	return [2]string{"the match on the HAT", "q leave"}
}

// watcher returns a panel that shows the service's match in the terminal or, without a terminal, as
// plain text, and a function that closes it.
func watcher(cmd *cobra.Command, tty bool, help term.Help, boards console.Boards) (session.Panel, func(), error) {
	if !tty {
		return textOutput(console.Follow(cmd.OutOrStdout(), boards)), func() {}, nil
	}
	panel, err := openPicture(help)
	if err != nil {
		return nil, nil, err
	}
	panel.Watches = true
	return panel, panel.Close, nil
}

func openPicture(help term.Help) (*term.Panel, error) {
	return term.Open(func(v *game.View) [2]string {
		if v.Lost {
			return [2]string{"the service stopped:  waiting for it", "q leave"}
		}
		return help(v)
	})
}

// textOutput is a panel without keys.
type textOutput func(game.View) error

func (o textOutput) Show(v game.View, _ bool) error { return o(v) }

func (o textOutput) Next(ctx context.Context) (game.Event, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}
