package cli

import (
	"bytes"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"
)

const (
	widestHelp = 90 // columns; longer lines are hard to read
	leastHelp  = 32 // columns for the text of a table's row; if there are fewer, it has lines of its own
	narrowHelp = 10 // where those begin
)

// FitHelp makes the help of all commands fit the width of the terminal that shows it.
func FitHelp(root *cobra.Command) {
	show := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		out, text := cmd.OutOrStdout(), new(bytes.Buffer)
		cmd.SetOut(text)
		show(cmd, args)
		cmd.SetOut(out)
		help := text.String()
		if f, ok := out.(*os.File); ok {
			if width, _, err := xterm.GetSize(int(f.Fd())); err == nil && width > 0 {
				help = fit(help, min(width, widestHelp))
			}
		}
		_, _ = io.WriteString(out, help)
	})
}

// fit breaks a help text into lines of at most width columns. Lines that are not indented are
// paragraphs. An indented line with a gap of two spaces is a row of a table with two columns. Other
// indented lines stay whole, because they may be commands to copy.
func fit(text string, width int) string {
	var out strings.Builder
	var paragraph []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		body := strings.TrimLeft(line, " ")
		if body != "" && body == line {
			paragraph = append(paragraph, strings.Fields(line)...)
			continue
		}
		fill(&out, paragraph, 0, 0, width)
		paragraph = nil
		gap := strings.Index(body, "  ")
		if gap < 0 {
			out.WriteString(line + "\n")
			continue
		}
		start := len(line) - len(body) + gap
		column := len(line) - len(strings.TrimLeft(body[gap:], " "))
		out.WriteString(line[:start])
		if width-column < leastHelp {
			out.WriteString("\n")
			start, column = 0, narrowHelp
		}
		fill(&out, strings.Fields(body[gap:]), start, column, width)
	}
	fill(&out, paragraph, 0, 0, width)
	return out.String()
}

// fill writes words from a column on, in lines of at most width columns. On the first line, columns
// up to at are written already.
func fill(out *strings.Builder, words []string, at, column, width int) {
	gap := column - at
	for i, word := range words {
		n := utf8.RuneCountInString(word)
		if i > 0 && at+1+n > width {
			out.WriteString("\n")
			at, gap = 0, column
		}
		out.WriteString(strings.Repeat(" ", gap) + word)
		at += gap + n
		gap = 1
	}
	if words != nil {
		out.WriteString("\n")
	}
}
