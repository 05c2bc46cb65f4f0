package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/c4hat/c4hat/internal/cli"
)

// state is what a finding means.
type state string

const (
	good state = "good"
	note state = "note" // to know; nothing has to be done
	bad  state = "bad"  // stands in the way
)

// finding is a line of the report.
type finding struct {
	Look  string `json:"look"` // at what
	State state  `json:"state"`
	Found string `json:"found"`
	Mend  string `json:"mend,omitempty"`
}

// report is all that was found, for programs.
type report struct {
	OK       bool      `json:"ok"`
	Findings []finding `json:"findings"`
}

// inTheWay counts what has to be mended.
func inTheWay(found []finding) (n int) {
	for _, f := range found {
		if f.State == bad {
			n++
		}
	}
	return n
}

// tell reports; something that stands in the way is an error.
func tell(out io.Writer, found []finding, asJSON bool) error {
	n := inTheWay(found)
	var err error
	if asJSON {
		err = cli.WriteJSON(out, report{n == 0, found})
	} else {
		err = writeReport(out, found, styleOf(out))
	}
	if err == nil && n > 0 {
		err = cli.ErrReported
	}
	return err
}

// style is how a report is written: marks for what the terminal can show.
type style map[state]string

// styleOf chooses for a stream, by the character set of the locale (locale(7)) and
// by https://no-color.org.
func styleOf(out io.Writer) style {
	s := style{good: "good", note: "note", bad: "BAD "}
	locale := ""
	for _, name := range []string{"LANG", "LC_CTYPE", "LC_ALL"} { // the last one wins
		if v := os.Getenv(name); v != "" {
			locale = strings.ToLower(v)
		}
	}
	if strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8") {
		s = style{good: "✓", note: "!", bad: "✗"}
	}
	if cli.IsTerminal(out) && cli.UsableTerminal() && os.Getenv("NO_COLOR") == "" {
		for state, colour := range map[state]int{good: 32, note: 33, bad: 31} {
			s[state] = fmt.Sprintf("\x1b[%dm%s\x1b[m", colour, s[state])
		}
	}
	return s
}

// writeReport writes a line for each finding, and what mends it below. Looks that
// were left out for one reason share a line.
func writeReport(out io.Writer, found []finding, s style) error {
	var text strings.Builder
	for i := 0; i < len(found); i++ {
		f := found[i]
		for ; i+1 < len(found) && found[i+1].State == f.State && found[i+1].Found == f.Found && found[i+1].Mend == f.Mend; i++ {
			f.Look += ", " + found[i+1].Look
		}
		fmt.Fprintf(&text, "%s %s: %s\n", s[f.State], f.Look, f.Found)
		if f.Mend != "" {
			fmt.Fprintf(&text, "    %s\n", f.Mend)
		}
	}
	switch n := inTheWay(found); n {
	case 0:
		fmt.Fprintln(&text, "nothing stands in the way")
	case 1:
		fmt.Fprintln(&text, "1 thing stands in the way: do that, then run c4hat doctor again")
	default:
		fmt.Fprintf(&text, "%d things stand in the way: do the first, then run c4hat doctor again\n", n)
	}
	_, err := io.WriteString(out, text.String())
	return err
}
