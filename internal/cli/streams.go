package cli

import (
	"io"
	"os"
	"runtime"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"
)

// Streams are a command's standard input, output and error.
type Streams struct {
	In        io.Reader
	Out, Errs io.Writer
}

// StreamsOf returns the streams of a command.
func StreamsOf(cmd *cobra.Command) Streams {
	return Streams{cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()}
}

// CanDraw reports whether a command can show a picture and read keys.
func (s Streams) CanDraw() bool { return IsTerminal(s.In) && IsScreen(s.Out) }

// OneTerminal reports whether input and output are terminals, so that typed lines show up between lines
// of output.
func (s Streams) OneTerminal() bool { return IsTerminal(s.In) && IsTerminal(s.Out) }

// IsTerminal reports whether a command's input or output stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && xterm.IsTerminal(int(f.Fd()))
}

// IsScreen reports whether a command's output stream is a terminal that can move its cursor.
func IsScreen(stream any) bool {
	kind := os.Getenv("TERM")
	return IsTerminal(stream) && (runtime.GOOS == "windows" || kind != "" && kind != "dumb")
}

// Create creates the file that a flag names. If the name is empty, Create returns nil. The file stays
// open until the command ends.
func Create(name string) (io.Writer, error) {
	if name == "" {
		return nil, nil
	}
	return os.Create(name)
}
