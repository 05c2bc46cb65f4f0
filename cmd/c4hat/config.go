package main

import (
	"io"
	"strconv"

	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/spf13/cobra"
)

func newConfig() *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Print a configuration file with all keys",
		Long: `Print a configuration file with all keys, their meanings and their defaults.

c4hat reads its settings from ` + settings.DefaultConfig + `, or from the file given with
--config. The default file may be missing. The file is TOML in UTF-8, with at most
` + strconv.Itoa(settings.MaxConfigSize>>10) + ` KiB. Each key sets the default of the flag with the same name; flags override the
file. If the file has mistakes, c4hat reports them all, with their lines, and does not
start.

The service reads the file when it starts, and after sudo systemctl reload c4hat. The
match under way continues. c4hat daemon --check lists mistakes; with one, a reload
changes nothing. Changes in [screen] and of idle take effect at once, others in [game]
with the next match, in [machine] after a restart, and in [speech] after a restart of
c4hat-speech.

An example: the 8x8 board, where the loser of a round starts the next; the
HAT is mounted upside down, and shows colours for the colour-blind:

  [game]
  board = "8x8"
  first = "loser"
  [screen]
  rotate = 180
  palette = "colourblind"`,
		Example: `  c4hat config
  c4hat config | sudo tee /etc/c4hat/config.toml >/dev/null   a file to edit`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), settings.Text())
			return err
		},
	}
}
