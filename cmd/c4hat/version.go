package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is set by the build (-ldflags -X main.release=…); without it, the version is the
// toolchain's.
var release string

func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and the platform",
		Example: `  c4hat version
  c4hat --version   only the version`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text := fmt.Sprintf("c4hat %s %s/%s %s", version(), runtime.GOOS, runtime.GOARCH, runtime.Version())
			if runtime.GOOS != "linux" {
				text += " (there is no Sense HAT support for " + runtime.GOOS + ": play in the terminal)"
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), text)
			return err
		},
	}
}
