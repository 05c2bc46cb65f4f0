package main

import (
	"strconv"

	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/history"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/spf13/cobra"
)

func newStats() *cobra.Command {
	s := settings.New()
	asJSON := false
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Show the results so far",
		Long: `Show the results so far: the wins of each side, and the last ` + strconv.Itoa(history.LastMatches) + ` matches.
The matches are the service's or, if it is not running, those that you played without it;
--state names another folder.`,
		Example: `  c4hat stats
  c4hat stats --json | jq .matches          the number of matches
  sudo c4hat stats --state /var/lib/c4hat   the matches of a stopped service`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := history.Find(cmd.Context(), s, cmd.Flags())
			if err != nil {
				return err
			}
			r := h.Results()
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), r)
			}
			return r.Write(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	s.Add(cmd.Flags(), settings.Places)
	return cmd
}
