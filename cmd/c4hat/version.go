package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is set by the build (-ldflags -X main.release=…); a build without it
// says what the toolchain knows.
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
		Short: "Print the version, and what it was built for",
		Example: `  c4hat version
  c4hat --version   nothing but the version`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "c4hat %s %s/%s %s%s\n", version(), runtime.GOOS, runtime.GOARCH, runtime.Version(), noHat())
			return err
		},
	}
}

// noHat says where there can be no HAT; c4hat plays in the terminal there.
func noHat() string {
	if runtime.GOOS == "linux" {
		return ""
	}
	return " (no Sense HAT on " + runtime.GOOS + ": plays in the terminal)"
}
