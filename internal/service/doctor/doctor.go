// Package doctor checks what the Sense HAT needs on a machine. It collects facts, tables turn the
// facts into findings, and the findings make up a report. It changes nothing on the machine.
package doctor

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/spf13/pflag"
)

// Examine checks this machine. flags has the flags that p.Add adds. Examine waits for the service's
// answer at most until the context ends.
func Examine(ctx context.Context, p *settings.Settings, flags *pflag.FlagSet) Report {
	return diagnose(collect(ctx, p, flags))
}

// facts are what is known about a machine, by name. A fact that does not hold is empty.
type facts map[string]string

// holds reports whether all facts of a cause hold.
func (f facts) holds(cause string) bool {
	for fact := range strings.SplitSeq(cause, ", ") {
		name, unknown := strings.CutPrefix(fact, "!")
		if fact != "" && (f[name] == "") != unknown {
			return false
		}
	}
	return true
}

func diagnose(f facts) (all Report) {
	var words []string
	for name, value := range f {
		words = append(words, "{"+name+"}", value)
	}
	replacer := strings.NewReplacer(words...)
	for i, table := range tables {
		last := ""
		if i > 0 && f["linux"] == "" {
			break
		}
		for _, r := range table {
			if r.check == last || !f.holds(r.cause) {
				continue
			}
			last = r.check
			found := Finding{r.check, r.state, replacer.Replace(r.text), replacer.Replace(r.fix)}
			if r.state == end {
				found.State = note
			}
			all = append(all, found)
			if r.state == bad || r.state == end {
				break
			}
		}
	}
	return all
}

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
