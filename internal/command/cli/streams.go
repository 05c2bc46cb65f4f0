package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

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

// Append opens the file that a flag names, to write at its end. If the name is empty, Append returns nil. The file
// stays open until the command ends.
func Append(name string) (io.Writer, error) {
	if name == "" {
		return nil, nil
	}
	return os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
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
	mu   sync.Mutex
	out  io.Writer
	next time.Time // when the line may be written again
	open bool      // the line has a text
}

// NewProgress returns a Progress that writes to errs, or nil if errs is not a terminal.
func NewProgress(errs io.Writer) *Progress {
	if !IsScreen(errs) {
		return nil
	}
	return &Progress{out: errs, next: time.Now().Add(time.Second)}
}

// eraseLine moves the cursor to the start of the line and clears it.
const eraseLine = "\r\x1b[K"

// Show shows a text, unless it is too early to show or to replace the line.
func (p *Progress) Show(format string, args ...any) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Now().Before(p.next) {
		return
	}
	text := fmt.Sprintf(format, args...)
	if columns := Columns(p.out); columns > 1 { // a second line would stay
		text = Shorten(text, columns-1)
	}
	p.next, p.open = time.Now().Add(time.Second/5), true
	fmt.Fprint(p.out, eraseLine, text)
}

// Print writes a text to out in place of the line.
func (p *Progress) Print(out io.Writer, text string) error {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.open {
			p.open = false
			fmt.Fprint(p.out, eraseLine)
		}
	}
	_, err := io.WriteString(out, text)
	return err
}

// Clear removes the line. Call it before other output and at the end.
func (p *Progress) Clear() { _ = p.Print(io.Discard, "") }

// longestLine is how many bytes a line may have. A line of a tournament's record has up to 4 kB of what
// a program wrote, and JSON may need six bytes for one.
const longestLine = 32 << 10

const byteOrderMark = "\ufeff"

// Line is a line of input, or an error.
type Line struct {
	Text string
	Err  error
}

// ReadLines reads lines in a separate goroutine, one at a time. A read from a terminal cannot be
// cancelled, so the goroutine may still be waiting for input when the program ends. After an error, such as
// that of a line of more than 32 kB, nothing more is sent. A byte order mark at the start, which some editors
// write, is removed.
func ReadLines(ctx context.Context, in io.Reader) <-chan Line {
	lines := make(chan Line)
	go func() {
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, longestLine)
		mark := byteOrderMark
		for more := true; more; mark = "" {
			more = scanner.Scan()
			l := Line{Text: strings.TrimPrefix(scanner.Text(), mark)}
			switch err := scanner.Err(); {
			case errors.Is(err, bufio.ErrTooLong):
				l.Err = errors.New("a line is longer than 32 kB")
			case !more:
				l.Err = cmp.Or(err, io.EOF)
			}
			select {
			case lines <- l:
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// Lines yields the lines of the standard input, until it or the context ends. Every error is the last element.
func Lines(ctx context.Context, in io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for lines := ReadLines(ctx, in); ; {
			select {
			case l := <-lines:
				if l.Err != nil && !errors.Is(l.Err, io.EOF) {
					yield("", fmt.Errorf("standard input: %w", l.Err))
				}
				if l.Err != nil || !yield(l.Text, nil) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

const (
	widestHelp = 90 // columns; longer lines are hard to read
	pipedHelp  = 80 // if the output is not a terminal
)

// FitHelp makes the help of all commands fit the width of the terminal that shows it.
func FitHelp(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		out := cmd.OutOrStdout()
		width := min(cmp.Or(Columns(out), pipedHelp), widestHelp)
		help := Fill(cmp.Or(cmd.Long, cmd.Short), width) + "\n"
		if cmd.Runnable() || cmd.HasSubCommands() {
			flags := cmd.LocalFlags()
			help += "\n" + strings.Replace(cmd.UsageString(), flags.FlagUsages(), flags.FlagUsagesWrapped(width), 1)
		}
		_, _ = io.WriteString(out, help) // cobra's own help ignores the error too
	})
}

// FillLines breaks the lines of a text that are longer than those of the terminal to which it is written;
// otherwise a Braille display or a screen reader would meet its edge in the middle of a word.
func FillLines(text string, out any) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if width := Columns(out); 0 < width && width < len(line) {
			lines[i] = Fill(line, width)
		}
	}
	return strings.Join(lines, "\n")
}

// Fill breaks paragraphs into lines of at most width columns. Indented lines stay whole, because they may be
// commands to copy.
func Fill(text string, width int) string {
	var filled []string
	open := false // the last line may grow
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || line[0] == ' ' {
			filled, open = append(filled, line), false
			continue
		}
		for word := range strings.FieldsSeq(line) {
			last := len(filled) - 1
			if open && utf8.RuneCountInString(filled[last]+" "+word) <= width {
				filled[last] += " " + word
			} else {
				filled, open = append(filled, word), true
			}
		}
	}
	return strings.Join(filled, "\n")
}
