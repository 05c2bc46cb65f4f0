package cli

import (
	"cmp"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

const (
	widestHelp = 90 // columns; longer lines are hard to read
	pipedHelp  = 80 // if the output is not a terminal
)

// FitHelp makes the help of all commands fit the width of the terminal that shows it. The function
// that it returns gives the error of writing help.
func FitHelp(root *cobra.Command) (failed func() error) {
	var err error
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		out := cmd.OutOrStdout()
		width := min(cmp.Or(Columns(out), pipedHelp), widestHelp)
		help := Fill(cmp.Or(cmd.Long, cmd.Short), width) + "\n"
		if cmd.Runnable() || cmd.HasSubCommands() {
			flags := cmd.LocalFlags()
			help += "\n" + strings.Replace(cmd.UsageString(), flags.FlagUsages(), flags.FlagUsagesWrapped(width), 1)
		}
		_, err = io.WriteString(out, help)
	})
	return func() error { return err }
}

// FillLines breaks the lines of a text that are longer than those of the terminal to which it is written;
// otherwise a Braille display or a screen reader would meet its edge in the middle of a word.
func FillLines(text string, out any) string {
	width, lines := Columns(out), strings.Split(text, "\n")
	for i, line := range lines {
		if 0 < width && width < len(line) && line[0] != ' ' {
			lines[i] = Fill(line, width)
		}
	}
	return strings.Join(lines, "\n")
}

// Fill breaks paragraphs into lines of at most width columns; 0 leaves them as they are. Indented
// lines stay whole, because they may be commands to copy.
func Fill(text string, width int) string {
	if width <= 0 {
		return text
	}
	var out strings.Builder
	column := 0
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || line[0] == ' ' {
			if column > 0 {
				out.WriteString("\n")
			}
			out.WriteString(line + "\n")
			column = 0
			continue
		}
		for word := range strings.FieldsSeq(line) {
			n := utf8.RuneCountInString(word)
			switch {
			case column == 0:
			case column+1+n > width:
				out.WriteString("\n")
				column = 0
			default:
				out.WriteString(" ")
				column++
			}
			out.WriteString(word)
			column += n
		}
	}
	return out.String()
}
