package cli

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

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

// Columns returns the width of the terminal to which a command writes, or 0.
func Columns(stream any) int {
	if f, ok := stream.(*os.File); ok {
		if columns, _, err := xterm.GetSize(int(f.Fd())); err == nil {
			return columns
		}
	}
	return 0
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

// Shorten returns a text of at most so many letters, with an ellipsis in place of what is left out.
func Shorten(text string, most int) string {
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}

// Progress is a line on a terminal that shows the progress of a long command. It appears after a
// second and is rewritten at most five times a second. A nil Progress shows nothing.
type Progress struct {
	out     io.Writer
	columns func() int // of the terminal; 0 if unknown
	started time.Time
	shown   time.Time // zero while the line is empty
}

// NewProgress returns a Progress that writes to errs, or nil if errs is not a terminal.
func NewProgress(errs io.Writer) *Progress {
	if !IsScreen(errs) {
		return nil
	}
	return &Progress{out: errs, columns: func() int { return Columns(errs) }, started: time.Now()}
}

// eraseLine moves the cursor to the start of the line and clears it.
const eraseLine = "\r\x1b[K"

// Show shows a text, unless it is too early to show or to replace the line.
func (p *Progress) Show(format string, args ...any) {
	if p == nil {
		return
	}
	now := time.Now()
	if now.Sub(p.started) < time.Second || now.Sub(p.shown) < time.Second/5 {
		return
	}
	p.shown = now
	text := fmt.Sprintf(format, args...)
	if columns := p.columns(); columns > 1 { // a second line would stay
		text = Shorten(text, columns-1)
	}
	fmt.Fprint(p.out, eraseLine, text)
}

// Clear removes the line. Call it before other output and at the end.
func (p *Progress) Clear() {
	if p != nil && !p.shown.IsZero() {
		p.shown = time.Time{}
		fmt.Fprint(p.out, eraseLine)
	}
}
