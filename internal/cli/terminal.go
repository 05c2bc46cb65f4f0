package cli

import (
	"os"
	"runtime"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"
)

// IsTerminal reports whether a stream of a command is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && xterm.IsTerminal(int(f.Fd()))
}

// OnTerminal reports whether a command can show a picture and read keys.
func OnTerminal(cmd *cobra.Command) bool {
	return IsTerminal(cmd.InOrStdin()) && IsTerminal(cmd.OutOrStdout()) && UsableTerminal()
}

// UsableTerminal reports whether the terminal can move its cursor.
func UsableTerminal() bool {
	kind := os.Getenv("TERM")
	return runtime.GOOS == "windows" || kind != "" && kind != "dumb"
}
