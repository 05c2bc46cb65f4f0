package main

import (
	"strconv"

	"github.com/c4hat/c4hat/internal/settings"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newConfigTopic is no command but a page of help. The manual page of the file and the
// file that the package installs are made of the same words.
func newConfigTopic(flags *pflag.FlagSet) *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "c4hat's configuration file",
		Long: `c4hat reads its settings from ` + settings.DefaultConfig + `, or from the file given with
--config. The usual file need not be there. It is written in TOML, in UTF-8, and has
at most ` + strconv.Itoa(settings.MaxConfigSize>>10) + ` KiB.

A key sets the same as the flag of its name, and a flag wins over the file. A key or
value that is wrong is named with its line, and nothing is started.

The service reads the file when it starts, and again after

  sudo systemctl reload c4hat

which says what is wrong with it and loses no match: [screen] changes at once, [game]
with the next match; [machine] needs a restart.

All there is, each with its default:

` + settings.Text(flags, "  ", "") + `
For instance, where every LED is to be a cell, the loser begins, and the HAT hangs upside
down before somebody who takes red for green:

  [game]
  board = "8x8"
  first = "loser"
  [screen]
  rotate = 180
  palette = "colourblind"`,
	}
}
