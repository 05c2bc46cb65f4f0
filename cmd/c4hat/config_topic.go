package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newConfigTopic is no command but a page of help. The manual page of the file and the
// file that the package installs are made of the same words.
func newConfigTopic(flags *pflag.FlagSet) *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "c4hat's configuration file",
		Long: `c4hat reads its settings from ` + usualConfig + `, or from the file given with
--config. The usual file need not be there. It is written in TOML, in UTF-8, and has
at most ` + strconv.Itoa(mostConfig>>10) + ` KiB.

A key sets the same as the flag of its name, and a flag wins over the file. A key or
value that is wrong is named with its line, and nothing is started.

The service reads the file when it starts, and again after

  sudo systemctl reload c4hat

which says what is wrong with it and loses no match: [screen] changes at once, [game]
with the next match; [machine] needs a restart.

All there is, each with its default:

` + configText(flags, "  ", "") + `
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

// configText is every key with its default and what it is for, as the file has it. Lines
// begin with the margin, those with a key also with a mark.
func configText(flags *pflag.FlagSet, margin, mark string) string {
	var b strings.Builder
	for i, t := range configTables {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s[%s] # %s\n", margin, t.name, t.about)
		for _, key := range t.keys {
			f := flags.Lookup(key)
			fmt.Fprintf(&b, "%s# %s\n", margin, strings.Join(keyWords(f), "\n"+margin+"# "))
			fmt.Fprintf(&b, "%s%s%s\n", margin, mark, keyLine(f))
		}
	}
	return b.String()
}

// keyWords tell what a key is for, and the words that it takes.
func keyWords(f *pflag.Flag) []string {
	_, usage := pflag.UnquoteUsage(f)
	if v, ok := f.Value.(*choiceValue); ok {
		return []string{usage, "(" + orList(v.choices) + ")"}
	}
	return []string{usage}
}

// keyLine sets a key to its default.
func keyLine(f *pflag.Flag) string {
	if _, err := strconv.Atoi(f.DefValue); err == nil {
		return f.Name + " = " + f.DefValue
	}
	return fmt.Sprintf("%s = %q", f.Name, f.DefValue)
}
