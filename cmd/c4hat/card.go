package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/c4hat/c4hat/internal/card"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/spf13/cobra"
)

func newCard() *cobra.Command {
	var packages []string
	cmd := &cobra.Command{
		Use:   "card FOLDER",
		Short: "Prepare a card, so that the Pi installs c4hat at its first boot",
		Long: `Copy c4hat to a card with Raspberry Pi OS that has not booted yet. The first boot
installs it, without a network and without a question. FOLDER is where the card's
partition bootfs is mounted. The system must be of October 2025 or newer (Debian 13).

The card's other files, such as the settings of Raspberry Pi Imager, stay as they are.

c4hat looks for its Debian packages in the current folder, in build, and beside the
program.`,
		Example: `  c4hat card /media/$USER/bootfs    on Linux
  c4hat card /Volumes/bootfs        on macOS
  c4hat card E:\                    on Windows`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.Usagef("name the folder of the card's partition bootfs, as in c4hat card /media/pi/bootfs")
			}
			return nil
		},
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
