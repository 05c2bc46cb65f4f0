package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/c4hat/c4hat/internal/command/card"
	"github.com/spf13/cobra"
)

func newCard() *cobra.Command {
	var packages []string
	cmd := &cobra.Command{
		Use:   "card FOLDER",
		Short: "Prepare a card, so that the Pi installs c4hat at its first boot",
		Long: `Copy c4hat to a card with Raspberry Pi OS (October 2025 or newer) that has not booted
yet. The first boot installs it, without a network and without a question. FOLDER is
where the card's partition bootfs is mounted; its other files stay as they are. The
Debian packages are those in the current folder, in build, or beside the program.`,
		Example: `  c4hat card /media/$USER/bootfs    on Linux
  c4hat card /Volumes/bootfs        on macOS
  c4hat card E:\                    on Windows`,
		Args: takes(1, 1, "name the folder of the card's partition bootfs, as in c4hat card /media/pi/bootfs"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			program, _ := os.Executable() // without it two folders are left
			copied, err := card.Prepare(args[0], packages, version(), ".", "build", filepath.Dir(program))
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: the first boot will install %s. Eject the card, put it into the Pi, and plug in the power: the LEDs show a demo after a few minutes.\n",
				args[0], strings.Join(copied, " or "))
			return err
		},
	}
	cmd.Flags().StringSliceVar(&packages, "package", nil, "`FILE` of the Debian package for the Pi; by default those of this version")
	return cmd
}
