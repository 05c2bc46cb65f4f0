package main

import (
	"errors"

	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/play"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/front/console"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/spf13/cobra"
)

func newWatch() *cobra.Command {
	s := settings.New()
	showBoard := false
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
			client, _, err := dial(cmd, s)
			switch {
			case errors.Is(err, socket.ErrNoDaemon) && !cmd.Flags().Changed("socket") && !settings.OnPi():
				return errors.New("watch shows the match of the service, which runs on a Raspberry Pi: to play here, type c4hat play")
			case err != nil:
				return err
			}
			boards := console.OnDemand
			if showBoard {
				boards = console.EachTurn
			}
			return play.Watch(cmd.Context(), client, cli.StreamsOf(cmd), s.Picture(), boards)
		},
	}
	cmd.Flags().BoolVar(&showBoard, "show-board", false, "in plain text, show the board at each turn")
	s.Add(cmd.Flags(), "palette "+settings.Service)
	return cmd
}

// dial reads where the service is, and asks for its status.
func dial(cmd *cobra.Command, s *settings.Settings) (*socket.Client, socket.Status, error) {
	if err := s.Read(cmd.Flags()); err != nil {
		return nil, socket.Status{}, err
	}
	client := socket.Dial(s.Socket)
	status, err := client.Status(cmd.Context())
	return client, status, err
}
