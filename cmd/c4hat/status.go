package main

import (
	"errors"

	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/play"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/spf13/cobra"
)

func newStatus() *cobra.Command {
	s := settings.New()
	asJSON := false
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what the service is doing",
		Long: `Show the match under way, and whether the service has found the HAT. If no service is
running, show your saved match, if there is one, and exit with status 1.`,
		Example: `  c4hat status
  c4hat status --json | jq .match.rounds   the moves of the match, for programs`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, status, err := dial(cmd, s)
			switch {
			case errors.Is(err, socket.ErrNoDaemon):
				return play.Saved(cmd.OutOrStdout(), s, asJSON, cli.Command("play --continue", cmd.Flags(), "state", "config"))
			case err != nil:
				return err
			}
			return play.Status(cmd.OutOrStdout(), client, status, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	s.Add(cmd.Flags(), settings.Places)
	return cmd
}
