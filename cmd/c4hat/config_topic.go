package main

import (
	"strconv"

	"github.com/c4hat/c4hat/internal/settings"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newConfigTopic returns a help topic, not a command. The manual page of the configuration
// file, and the file that the package installs, have the same words.
func newConfigTopic(flags *pflag.FlagSet) *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "c4hat's configuration file",
		Long: `c4hat reads its settings from ` + settings.DefaultConfig + `, or from the file given with
--config. The default file may be missing. The file is TOML in UTF-8, with at most
` + strconv.Itoa(settings.MaxConfigSize>>10) + ` KiB.

A key sets the default of the flag with its name, so flags override the file. If the
file is wrong, c4hat reports every mistake with its line and does not start.

The service reads the file when it starts, and again after

  sudo systemctl reload c4hat

which reports every mistake and loses no match. Changes of [screen] take effect at once,
of [game] with the next match, and of [machine] after a restart.

All keys with their defaults:

` + settings.Text(flags, "  ", "") + `
An example: the full matrix, the loser starts the next round, and the HAT hangs upside
down, with colours for the colour-blind:

  [game]
  board = "8x8"
  first = "loser"
  [screen]
  rotate = 180
  palette = "colourblind"`,
	}
}
