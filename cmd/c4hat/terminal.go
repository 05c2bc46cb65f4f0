package main

import (
	"os"
	"runtime"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"
)

// isTerminal says whether a stream of the command is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && xterm.IsTerminal(int(f.Fd()))
}

// onTerminal says whether a command can show a picture and hear keys.
func onTerminal(cmd *cobra.Command) bool {
	return isTerminal(cmd.InOrStdin()) && isTerminal(cmd.OutOrStdout()) && usableTerminal()
}

// usableTerminal says whether the terminal can show a picture.
func usableTerminal() bool {
	kind := os.Getenv("TERM")
	return runtime.GOOS == "windows" || kind != "" && kind != "dumb"
}
