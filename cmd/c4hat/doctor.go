package main

import (
	"context"
	"io"

	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/service/doctor"
	"github.com/spf13/cobra"
)

func newDoctor() *cobra.Command {
	s := settings.New()
	asJSON := false
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check everything the HAT needs, and say how to fix problems",
		Long: `Check everything that the Sense HAT needs on this machine, from the board to the
service. Each problem is followed by what to do. Doctor changes nothing.
Fix the first problem, then run doctor again: one cause often explains several problems.
As root it can check more. The exit status is 1 if there is a problem.`,
		Example: `  c4hat doctor                 what is missing, and how to fix it
  sudo c4hat doctor            the same, with more checks
  c4hat doctor --json >file    to attach to a bug report
  c4hat doctor --json | jq '.findings[] | select(.state == "bad")'`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report := doctor.Examine(cmd.Context(), s, cmd.Flags())
			if cmd.Context().Err() != nil { // interrupted while waiting for the service
				return context.Cause(cmd.Context())
			}
			return report.Write(cmd.OutOrStdout(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	s.Add(cmd.Flags(), settings.Places)
	return cmd
}

func newConfig() *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Print a configuration file with all keys",
		Long: `Print a configuration file: all keys, their meanings and the service's defaults.

c4hat reads its settings from ` + settings.DefaultConfig + `, which may be missing, or from the
file given with --config. The file is TOML. Each key sets the default of the flag with the
same name. If the file has mistakes, c4hat reports them all, with their lines, and does
not start.

sudo systemctl reload c4hat applies [screen] and idle at once, other keys of [game] with
the next match. [machine] needs a restart of c4hat, and [speech] one of c4hat-speech.
c4hat daemon --check lists mistakes; with one, a reload changes nothing.`,
		Example: `  c4hat config
  c4hat config | sudo tee /etc/c4hat/config.toml >/dev/null   a file to edit`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), settings.Text())
			return err
		},
	}
}
