package doctor

import (
	"fmt"
	"io"
	"strings"

	"github.com/c4hat/c4hat/internal/command/cli"
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

// Write writes the report as JSON, or as a line for each finding, with the fix on the next line. If the report
// has a problem, Write returns [cli.ErrReported].
func (r Report) Write(out io.Writer, asJSON bool) (err error) {
	var text strings.Builder
	problems := 0
	for _, f := range r {
		mark := string(f.State)
		if f.State == bad {
			problems++
			mark = "BAD "
		}
		fmt.Fprintf(&text, "%s %s: %s\n", mark, f.Check, f.Text)
		if f.Fix != "" {
			fmt.Fprintf(&text, "     %s\n", f.Fix)
		}
	}
	switch problems {
	case 0:
		text.WriteString("no problems found\n")
	case 1:
		text.WriteString("1 problem found: fix it, then run c4hat doctor again\n")
	default:
		fmt.Fprintf(&text, "%d problems found: fix the first, then run c4hat doctor again\n", problems)
	}
	if asJSON {
		err = cli.WriteJSON(out, struct {
			OK       bool   `json:"ok"`
			Findings Report `json:"findings"`
		}{problems == 0, r})
	} else {
		_, err = io.WriteString(out, text.String())
	}
	if err == nil && problems > 0 {
		err = cli.ErrReported
	}
	return err
}
