package cli

import (
	"os"
	"runtime"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"
)

// IsTerminal reports whether a command's input or output stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && xterm.IsTerminal(int(f.Fd()))
}

// OnTerminal reports whether a command can show a picture and read keys.
func OnTerminal(cmd *cobra.Command) bool {
	return IsTerminal(cmd.InOrStdin()) && IsScreen(cmd.OutOrStdout())
}

// IsScreen reports whether a command's output stream is a terminal that can move its cursor.
func IsScreen(stream any) bool {
	kind := os.Getenv("TERM")
	return IsTerminal(stream) && (runtime.GOOS == "windows" || kind != "" && kind != "dumb")
}
