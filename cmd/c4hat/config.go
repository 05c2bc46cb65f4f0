package main

import (
	"io"

	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/spf13/cobra"
)

func newConfig() *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Print a configuration file with all keys",
		Long: `Print a configuration file with all keys, their meanings and their defaults.

c4hat reads its settings from ` + settings.DefaultConfig + `, which may be missing, or from the
file given with --config. The file is TOML. Each key sets the default of the flag with the
same name. If the file has mistakes, c4hat reports them all, with their lines, and does
not start.

After sudo systemctl reload c4hat, changes in [screen] and of idle take effect at once,
others in [game] with the next match; [machine] needs a restart, and [speech] one of
c4hat-speech. c4hat daemon --check lists mistakes; with one, a reload changes nothing.`,
		Example: `  c4hat config
  c4hat config | sudo tee /etc/c4hat/config.toml >/dev/null   a file to edit`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), settings.Text())
			return err
		},
	}
}
