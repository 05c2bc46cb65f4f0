package doctor

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/c4hat/c4hat/internal/cli"
)

type Report []Finding

// Finding is the result of a check. Scripts read the JSON, so its keys must not change.
type Finding struct {
	Check string `json:"look"` // name of the check
	State State  `json:"state"`
	Text  string `json:"found"`
	Fix   string `json:"mend,omitempty"` // usually a command
}

type State string

const (
	good State = "good"
	note State = "note" // for information
	bad  State = "bad"  // a problem
)

// Write writes the report as text or as JSON. If the report has a problem, Write returns
// [cli.ErrReported].
func (r Report) Write(out io.Writer, asJSON bool) (err error) {
	problems := r.problems()
	if asJSON {
		err = cli.WriteJSON(out, struct {
			OK       bool   `json:"ok"`
			Findings Report `json:"findings"`
		}{problems == 0, r})
	} else {
		err = r.write(out, marksFor(out))
	}
	if err == nil && problems > 0 {
		err = cli.ErrReported
	}
	return err
}

func (r Report) problems() (n int) {
	for _, f := range r {
		if f.State == bad {
			n++
		}
	}
	return n
}

// marks has the sign in front of each line of the report, by state.
type marks map[State]string

// marksFor returns the marks for a stream: in UTF-8 if that is the locale's character set
// (locale(7)), and without colours if NO_COLOR is set (https://no-color.org).
func marksFor(out io.Writer) marks {
	m := marks{good: "good", note: "note", bad: "BAD "}
	locale := strings.ToLower(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG")))
	if strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8") {
		m = marks{good: "✓", note: "!", bad: "✗"}
	}
	if cli.IsScreen(out) && os.Getenv("NO_COLOR") == "" {
		for state, colour := range map[State]int{good: 32, note: 33, bad: 31} {
			m[state] = fmt.Sprintf("\x1b[%dm%s\x1b[m", colour, m[state])
		}
	}
	return m
}

// write writes a line for each finding, and the fix on the next line.
func (r Report) write(out io.Writer, m marks) error {
	var text strings.Builder
	for _, f := range r {
		fmt.Fprintf(&text, "%s %s: %s\n", m[f.State], f.Check, f.Text)
		if f.Fix != "" {
			fmt.Fprintf(&text, "    %s\n", f.Fix)
		}
	}
	switch n := r.problems(); n {
	case 0:
		fmt.Fprintln(&text, "no problems found")
	case 1:
		fmt.Fprintln(&text, "1 problem found: fix it, then run c4hat doctor again")
	default:
		fmt.Fprintf(&text, "%d problems found: fix the first, then run c4hat doctor again\n", n)
	}
	_, err := io.WriteString(out, text.String())
	return err
}
