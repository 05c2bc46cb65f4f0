package main

import (
	"strconv"

	"github.com/c4hat/c4hat/internal/settings"
	"github.com/spf13/cobra"
)

// newConfigTopic returns a help topic, not a command. The configuration file's manual page, and
// the file that the package installs, describe the keys in the same words.
func newConfigTopic() *cobra.Command {
	topic := &cobra.Command{Use: "config", Short: "c4hat's configuration file"}
	topic.SetHelpFunc(func(_ *cobra.Command, args []string) { // at the start of each command the text would cost memory and time
		topic.Long = configText()
		topic.Root().HelpFunc()(topic, args)
	})
	return topic
}

func configText() string {
	return `c4hat reads its settings from ` + settings.DefaultConfig + `, or from the file given with
--config. The default file may be missing. The file is TOML in UTF-8, with at most
` + strconv.Itoa(settings.MaxConfigSize>>10) + ` KiB.

Each key sets the default of the flag with the same name; flags override the file. If the
file has mistakes, c4hat reports them all, with their lines, and does not start.

The service reads the file when it starts. To make it read the file again, run

  sudo systemctl reload c4hat

The match under way continues. c4hat daemon --check lists mistakes; with one, a reload
changes nothing. Changes in [screen] and of idle take effect at once, others in [game]
with the next match, in [machine] after a restart, and in [speech] after a restart of
c4hat-speech.

All keys with their defaults:

` + settings.Text("  ") + `
An example: the 8x8 board, where the loser of a round starts the next; the
HAT is mounted upside down, and shows colours for the colour-blind:

  [game]
  board = "8x8"
  first = "loser"
  [screen]
  rotate = 180
  palette = "colourblind"`
}
